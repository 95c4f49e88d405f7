import { detect } from "@pdpp/importers/plan";
import { describe, expect, it } from "vitest";
import { formats } from "#importers/formats/formats";
import { selectRecords, selectRejected } from "../fixtures/fixture-files.ts";
import type { Files } from "../generators/generator.ts";
import { answers, createMemoryTree } from "../support.ts";

async function readActivities(files: Files) {
  const { claims } = await detect(createMemoryTree(files, 0), formats);
  const items = await Promise.all(claims.map(({ importer, claim }) => Array.fromAsync(importer.read(claim, answers))));
  return { keys: claims.map(({ importer }) => importer.key), items: items.flat() };
}

describe("[IMP-11] tracks and health", () => {
  it("Strava: the list of activities in another language", async () => {
    const buildPoint = (time: string, lat: number) => `<trkpt lat="${lat}" lon="7.1"><time>${time}</time></trkpt>`;
    const gpx = `<gpx version="1.1"><trk><trkseg>${buildPoint("2022-12-09T15:24:49Z", 50.1)}${buildPoint("2022-12-09T15:54:49Z", 50.2)}</trkseg></trk></gpx>`;
    const header =
      "Aktivitäts-ID,Aktivitätsdatum,Name der Aktivität,Aktivitätsart,Aktivitätsbeschreibung,Verstrichene Zeit,Distanz,Max. Herzfrequenz,Relative Leistung,Pendeln,Hinweis zur Privatsphäre für Aktivitäten,Aktivitätsausrüstung,Dateiname,Sportlergewicht,Fahrradgewicht,Verstrichene Zeit,Bewegungszeit,Distanz,Höchstgeschw.,Durchschnittliche Geschwindigkeit,Höhenzunahme,Höhenunterschied";
    const buildRow = (id: number, date: string, file: string) =>
      `${id},"${date}",Heimweg,Radfahrt,kalt,3189,"9,44",,,true,,Patria,${file},,20.0,3189.0,2070.0,9447.0,10.1,4.5,33.0,30.0`;
    const { keys, items } = await readActivities({
      "activities.csv": `${header}\n${buildRow(82_280_267, "09.12.2022, 15:24:49", "activities/82280267.gpx")}\n${buildRow(82_280_268, "10.12.2022, 15:24:49", "")}\n`,
      "activities/82280267.gpx": gpx,
    });
    expect(keys).toEqual(["tracks"]);
    expect(selectRecords(items, "activities")).toMatchObject([
      {
        id: "82280267",
        name: "Heimweg",
        sport: "Radfahrt",
        device: "Patria",
        started_at: "2022-12-09T15:24:49.000Z",
        moving_seconds: 2070,
        ascent_meters: 33,
        point_count: 2,
        extra: { commute: true },
      },
      { id: "82280268", started_at: "2022-12-10T15:24:49.000Z", distance: 9447, elapsed_seconds: 3189 },
    ]);
  });

  it("[IMP-32] GPX: heights, times and gaps along the line", async () => {
    const buildPoint = (n: number, minutes: number, more = "") =>
      `<trkpt lat="${50 + n / 100}" lon="7">${more}<time>2024-05-01T08:${String(minutes).padStart(2, "0")}:00Z</time></trkpt>`;
    const first = [0, 1, 2].map((n) => buildPoint(n, n, `<ele>${100 + n * 10.04}</ele>`));
    // A tunnel: no segment ends, but nothing was recorded for a while.
    const second = [buildPoint(4, 10), buildPoint(5, 30, "<ele>90</ele>")];
    const { items } = await readActivities({
      "a.gpx": `<gpx><trk><trkseg>${first.join("")}</trkseg><trkseg>${second.join("")}</trkseg></trk></gpx>`,
      "b.gpx": '<gpx><rte><rtept lat="1" lon="2"/><rtept lat="1.1" lon="2"/></rte></gpx>',
    });
    expect(selectRecords(items, "activities")).toMatchObject([
      {
        line_heights: [100, 110, 120.1, null, 90],
        line_seconds: [0, 60, 120, 600, 1800],
        line_gaps: [3, 4],
      },
      { line_heights: [], line_seconds: [], line_gaps: [] },
    ]);
  });

  it("[IMP-32] GPX: a gap survives when points are left out", async () => {
    const build = (from: number) =>
      Array.from({ length: 1500 }, (_, n) => `<trkpt lat="${(from + n) / 10_000}" lon="7"><ele>${n}</ele></trkpt>`);
    const { items } = await readActivities({
      "a.gpx": `<gpx><trk><trkseg>${build(0).join("")}</trkseg><trkseg>${build(5000).join("")}</trkseg></trk></gpx>`,
    });
    const [track] = selectRecords(items, "activities");
    const { line, line_heights: heights, line_gaps: gaps } = track as Record<string, number[]>;
    expect(line!.length).toBeLessThanOrEqual(101);
    expect(heights).toHaveLength(line!.length);
    expect(gaps).toHaveLength(1);
    expect(line!.at(-1)).toEqual([0.6499, 7]);
  });

  it("FIT: sports that newer devices know", async () => {
    const definition = [0x40, 0, 0, 18, 0, 3, 253, 4, 0x86, 2, 4, 0x86, 5, 1, 0];
    const session = Buffer.alloc(10);
    session.writeUInt32LE(1_000_000_600, 1);
    session.writeUInt32LE(1_000_000_000, 5);
    session[9] = 21;
    const size = definition.length + session.length;
    const header = [14, 0x20, 0, 0, size, 0, 0, 0, ...Buffer.from(".FIT"), 0, 0];
    const { items } = await readActivities({ "a.fit": Buffer.from([...header, ...definition, ...session, 0, 0]) });
    expect(selectRecords(items, "activities")).toMatchObject([{ sport: "e_biking", elapsed_seconds: 600 }]);
  });

  it("Apple Health: characters that XML forbids, and a description of the file that is broken", async () => {
    const { items } = await readActivities({
      "export.xml": `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!ATTLIST VisionPrescription
  brand CDATA #IMPLIED
<!ELEMENT RightEye EMPTY>
]>
<HealthData locale="en_DE">
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="My\u000bPhone" unit="count" startDate="2024-01-30 01:00:00 +0100" endDate="2024-01-30 02:00:00 +0100" value="7"/>
</HealthData>`,
    });
    expect(selectRejected(items)).toEqual([]);
    expect(selectRecords(items, "samples")).toMatchObject([{ type: "StepCount", value: 7, source: "MyPhone" }]);
  });
});
