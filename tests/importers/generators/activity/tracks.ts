import { gzipSync } from "node:zlib";
import { tracks } from "#importers/formats/tracks/tracks";
import { type Dice, drawSentence, type Generator } from "../generator.ts";

interface Activity {
  readonly n: number;
  readonly name: string;
}

const drawActivity = (dice: Dice, n: number): Activity => ({ n, name: `${drawSentence(dice, 2)} ${n}` });

const formatTime = (n: number, seconds = 0): string =>
  new Date(Date.UTC(2025, 3, 1 + (n % 28), 6, n % 60) + seconds * 1000).toISOString();

function buildGpx({ n, name }: Activity, points = 20): string {
  const all = Array.from(
    { length: points },
    (_, i) =>
      `<trkpt lat="${52 + n / 100 + i / 10_000}" lon="13.4${i % 10}"><ele>${30 + (i % 7) * 2}</ele><time>${formatTime(n, i)}</time><extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>${120 + (i % 30)}</gpxtpx:hr></gpxtpx:TrackPointExtension></extensions></trkpt>`,
  );
  return `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<gpx creator="Watch" version="1.1"><metadata><time>${formatTime(n)}</time></metadata><trk><name>${name}</name><type>running</type><trkseg>${all.join("\n")}</trkseg></trk></gpx>\n`;
}

function buildTcx({ n }: Activity): string {
  const points = Array.from(
    { length: 10 },
    (_, i) =>
      `<Trackpoint><Time>${formatTime(n, i)}</Time><Position><LatitudeDegrees>48.${n}${i}</LatitudeDegrees><LongitudeDegrees>11.5</LongitudeDegrees></Position><DistanceMeters>${i * 10}</DistanceMeters><HeartRateBpm><Value>99</Value></HeartRateBpm></Trackpoint>`,
  );
  return `<?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="Biking"><Lap StartTime="${formatTime(n)}"><TotalTimeSeconds>10</TotalTimeSeconds><Calories>7</Calories><Track>${points.join("")}</Track></Lap><Creator><Name>Edge</Name></Creator></Activity></Activities></TrainingCenterDatabase>`;
}

/** A file with a description of its points and the points, as a watch writes it. */
function fitFile(n: number, points = 10): Buffer {
  const define = (local: number, message: number, fields: readonly (readonly [number, number, number])[]): number[] => [
    0x40 | local,
    0,
    0,
    message & 255,
    message >> 8,
    fields.length,
    ...fields.flat(),
  ];
  const encodeU32 = (value: number): number[] => [
    value & 255,
    (value >> 8) & 255,
    (value >> 16) & 255,
    (value >>> 24) & 255,
  ];
  const start = 1_100_000_000 + n * 86_400;
  const body = [
    ...define(0, 0, [
      [0, 1, 0],
      [1, 2, 0x84],
    ]),
    ...[0, 4, 1, 0],
    ...define(1, 20, [
      [253, 4, 0x86],
      [0, 4, 0x85],
      [1, 4, 0x85],
      [3, 1, 2],
      [5, 4, 0x86],
    ]),
    ...Array.from({ length: points }, (_, i) => [
      1,
      ...encodeU32(start + i),
      ...encodeU32(620_000_000 + i * 1000),
      ...encodeU32(160_000_000),
      100 + (i % 20),
      ...encodeU32(i * 300),
    ]).flat(),
    ...define(2, 18, [
      [253, 4, 0x86],
      [2, 4, 0x86],
      [5, 1, 0],
      [8, 4, 0x86],
    ]),
    ...[2, ...encodeU32(start + points), ...encodeU32(start), 2, ...encodeU32(points * 1000)],
  ];
  const header = [14, 0x20, 0, 0, ...encodeU32(body.length), ...Buffer.from(".FIT"), 0, 0];
  return Buffer.from([...header, ...body, 0, 0]);
}

const header =
  "Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Filename,Elapsed Time,Moving Time,Distance,Elevation Gain,Calories";

const formatShownTime = (n: number): string => `Apr ${1 + (n % 28)}, 2025, ${6 + (n % 5)}:0${n % 10}:03 AM`;

const buildRow = ({ n, name }: Activity): string =>
  `${5000 + n},"${formatShownTime(n)}","${name}",Run,,600,5.01,${n % 3 === 2 ? "" : `activities/${n}.${n % 3 === 0 ? "gpx.gz" : "fit.gz"}`},600.0,590.0,5010.4,31.5,300`;

function archive(all: readonly Activity[]): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = {
    "export/activities.csv": `${header}\n${all.map(buildRow).join("\n")}\n`,
    "export/profile.csv": "Athlete ID\n1\n",
  };
  for (const { n } of all) {
    if (n % 3 === 0) files[`export/activities/${n}.gpx.gz`] = gzipSync(buildGpx({ n, name: "x" }));
    if (n % 3 === 1) files[`export/activities/${n}.fit.gz`] = gzipSync(fitFile(n));
  }
  return files;
}

export const tracksGenerator: Generator = {
  importer: tracks,
  pair(dice, size) {
    const all = Array.from({ length: size * 2 }, (_, n) => drawActivity(dice, n));
    const renamed = all.slice(0, 2).map(({ n }) => ({ n, name: "renamed" }));
    const added = [drawActivity(dice, size * 2), drawActivity(dice, size * 2 + 1)];
    const buildPlain = (each: Activity) => ({
      [`other/${each.n}.gpx`]: buildGpx(each),
      [`other/${each.n}.tcx`]: buildTcx(each),
      [`other/${each.n}.fit`]: fitFile(each.n),
    });
    return {
      older: { ...archive(all), ...buildPlain(drawActivity(dice, 100)), ...buildPlain(drawActivity(dice, 101)) },
      newer: { ...archive([...renamed, ...all.slice(2, -2), ...added]), ...buildPlain(drawActivity(dice, 102)) },
    };
  },
  hostile(dice) {
    const good = drawActivity(dice, 1);
    return {
      files: {
        "good.gpx": buildGpx(good),
        "notimes.gpx":
          '<gpx version="1.0"><rte><name>plan \u0000?</name><rtept lat="99" lon="999"/><rtept lat="1" lon="2"/></rte></gpx>'.replace(
            "\u0000",
            "",
          ),
        "open.gpx": "<gpx><trk><trkseg><trkpt lat='1' lon='2'><time>never</time>",
        "cut.fit": fitFile(2).subarray(0, 200),
        "empty.fit": Buffer.from([14, 0x20, 0, 0, 4, 0, 0, 0, ...Buffer.from(".FIT"), 0, 0, 1, 2, 3, 4, 0, 0]),
        "bad.fit.gz": Buffer.from("not packed at all"),
        "strava/activities.csv": `${header}\n${buildRow(good)}\nx,"never","no id",Run\n7,"Apr 31, 2025, 6:00:00 AM",no day\n"8,open quote`,
      },
      good: 4,
    };
  },
  crowd(dice, n) {
    return n % 2 === 0
      ? { path: `${n}.gpx`, content: buildGpx(drawActivity(dice, n), 30) }
      : { path: `${n}.fit`, content: fitFile(n, 150) };
  },
};
