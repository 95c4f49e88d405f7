import { cleanText, numberIn, withoutNulls } from "../../core/clean.ts";
import { type CsvRow, csvHeader, csvRows } from "../../core/csv.ts";
import { englishTime } from "../../core/english-time.ts";
import { wordsOf } from "../../core/files.ts";
import { type Answers, aside, type Claim, type Item, mark } from "../../core/importer.ts";
import { folderOf } from "../../core/paths.ts";
import { instantIn, instantText } from "../../core/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { readTrackFile, trackType } from "./reading.ts";
import { measures, Track } from "./track.ts";

export const isStrava = (path: string, text: string): boolean =>
  /\.csv$/i.test(path) && ["Activity ID", "Activity Date", "Filename"].every((name) => csvHeader(text).includes(name));

interface Given {
  readonly claim: Claim;
  readonly entry: Entry;
  readonly index: number;
  readonly start: number;
  readonly answers: Answers;
}

/** Strava's list of activities; each names its file, in whatever format it was uploaded. */
export async function* stravaActivities({ claim, entry, index, start, answers }: Given): AsyncGenerator<Item> {
  const files = new Map(claim.beside.map((each) => [each.path, each]));
  let header: readonly string[] | undefined;
  for await (const row of csvRows(entry)) {
    header = row.fields;
    break;
  }
  if (header === undefined) return;
  let isFirst = start === 0;
  for await (const row of csvRows(entry, ",", start)) {
    if (isFirst) isFirst = false;
    else if (row.fault !== undefined) yield aside(entry.path, row.offset, row.fault.code, row.fault.reason, row.raw);
    else yield* activity(row, header, { path: entry.path, root: folderOf(entry.path), files, answers });
    yield mark(index, row.end);
  }
}

async function* activity(
  { fields, offset, raw }: CsvRow,
  header: readonly string[],
  { path, root, files, answers }: { path: string; root: string; files: ReadonlyMap<string, Entry>; answers: Answers },
): AsyncGenerator<Item> {
  // Some names stand twice: first as the app shows it, then as it was measured.
  const last = (name: string): string => fields[header.lastIndexOf(name)]?.trim() ?? "";
  const first = (name: string): string => fields[header.indexOf(name)]?.trim() ?? "";
  const id = first("Activity ID");
  const when = englishTime(first("Activity Date"));
  if (!/^\d+$/.test(id) || when === null) {
    yield aside(path, offset, "not_an_activity", id === "" ? "it has no id" : "it has no time", raw);
    return;
  }
  const started = instantIn(when.local, "UTC");
  const name = first("Filename");
  const file = name === "" ? undefined : files.get(`${root}${name}`);
  const read = file === undefined ? undefined : await fileOf(file);
  const track = read?.track ?? new Track();
  const counted = measures(track);
  const elapsed = numberIn(last("Elapsed Time"));
  yield {
    kind: "record",
    stream: "activities",
    data: {
      id,
      name: cleanText(first("Activity Name")) || track.name,
      kind: "track",
      sport: cleanText(first("Activity Type")) || track.sport,
      description: cleanText(first("Activity Description")) || null,
      device: cleanText(first("Activity Gear")) || track.device,
      ...counted,
      started_at: instantText(started),
      ended_at: counted.ended_at ?? (elapsed === null ? null : instantText(started + elapsed * 1000)),
      distance: counted.distance ?? measuredDistance(header, fields),
      moving_seconds: numberIn(last("Moving Time")) ?? counted.moving_seconds,
      elapsed_seconds: elapsed ?? counted.elapsed_seconds,
      ascent_meters: numberIn(last("Elevation Gain")) ?? counted.ascent_meters,
      average_heart_rate: numberIn(last("Average Heart Rate")) ?? counted.average_heart_rate,
      max_heart_rate: numberIn(last("Max Heart Rate")) ?? counted.max_heart_rate,
      average_watts: numberIn(last("Average Watts")) ?? counted.average_watts,
      calories: numberIn(last("Calories")) ?? counted.calories,
      file: null,
      extra: withoutNulls({
        commute: first("Commute") === "true" ? true : null,
        note: read?.note ?? (name !== "" && file === undefined ? "its file is not in the archive" : null),
      }),
    },
    ...(answers.attachments && file !== undefined
      ? { blob: { field: "file", mimeType: trackType(file.path), bytes: () => file.bytes() } }
      : {}),
  };
}

/** The second of the two distances is in meters; alone it is in kilometers. */
function measuredDistance(header: readonly string[], fields: readonly string[]): number | null {
  const [first, last] = [header.indexOf("Distance"), header.lastIndexOf("Distance")];
  const value = numberIn(fields[last]);
  return value === null ? null : first === last ? value * 1000 : value;
}

/** A file that cannot be read is a note on its activity. */
async function fileOf(file: Entry): Promise<{ track?: Track; note?: string }> {
  try {
    const { found, fault } = await readTrackFile(file);
    const track = found[0]?.track;
    return {
      ...(track === undefined ? {} : { track }),
      ...(fault === null ? {} : { note: `its file is not whole: ${fault}` }),
    };
  } catch (error) {
    return { note: `its file cannot be read: ${wordsOf(error)}` };
  }
}
