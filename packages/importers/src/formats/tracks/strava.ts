import type { Answers, Claim, Item } from "../../core/importer.ts";
import { createBlob, createFileRecord, mark, reject } from "../../core/items.ts";
import { type CsvRow, parseCsvHeader, readCsvRows } from "../../core/parsing/csv.ts";
import { rejectElement } from "../../core/reading.ts";
import { cleanText, dropNulls, toNumber } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFolder } from "../../core/text/paths.ts";
import { parseEnglishTime } from "../../core/time/english-time.ts";
import { formatInstant, isValidTime, toInstant } from "../../core/time/times.ts";
import type { Entry } from "../../tree/tree.ts";
import { detectTrackType, readTrackFile } from "./reading.ts";
import { summarizeTrack, Track } from "./track.ts";

export const isStrava = (path: string, text: string): boolean =>
  /\.csv$/i.test(path) &&
  (["Activity ID", "Activity Date", "Filename"].every((name) => parseCsvHeader(text).includes(name)) ||
    isTranslated(path, text));

/**
 * Column names depend on the account's language, but their order does not: a number, a time, and later a file in
 * `activities/`.
 */
const isTranslated = (path: string, text: string): boolean =>
  /(^|\/)activities\.csv$/i.test(path) &&
  parseCsvHeader(text).length >= inEnglish.length &&
  /^[^\r\n]*\r?\n\d{6,},"?[^\n]{6,30}\d{1,2}:\d\d/.test(text) &&
  /,activities\/\d+\.(gpx|tcx|fit)/.test(text);

/** The first columns of every export since 2023. */
const inEnglish = `Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,
Max Heart Rate,Relative Effort,Commute,Activity Private Note,Activity Gear,Filename,Athlete Weight,
Bike Weight,Elapsed Time,Moving Time,Distance,Max Speed,Average Speed,Elevation Gain`.split(/,\s*/);

interface StravaExport {
  readonly claim: Claim;
  readonly entry: Entry;
  readonly index: number;
  readonly start: number;
  readonly answers: Answers;
}

/** Strava's activity list; each entry names its file, in the format it was uploaded in. */
export async function* readStravaActivities({
  claim,
  entry,
  index,
  start,
  answers,
}: StravaExport): AsyncGenerator<Item> {
  const files = new Map(claim.companions.map((each) => [each.path, each]));
  let header: readonly string[] | undefined;
  for await (const row of readCsvRows(entry)) {
    const fields = row.fields.map((name) => name.trim());
    header = fields.includes("Activity ID") ? fields : fields.map((name, i) => inEnglish[i] ?? name);
    break;
  }
  if (header === undefined) return;
  let isFirst = start === 0;
  for await (const row of readCsvRows(entry, ",", start)) {
    if (isFirst) isFirst = false;
    else if (row.failure !== undefined) yield rejectElement(entry, row);
    else yield* readActivity(row, header, { path: entry.path, root: getFolder(entry.path), files, answers });
    yield mark(index, row.end);
  }
}

async function* readActivity(
  { fields, offset, raw }: CsvRow,
  header: readonly string[],
  { path, root, files, answers }: { path: string; root: string; files: ReadonlyMap<string, Entry>; answers: Answers },
): AsyncGenerator<Item> {
  // Some names occur twice: first as displayed, then as measured.
  const getLast = (name: string): string => fields[header.lastIndexOf(name)]?.trim() ?? "";
  const getFirst = (name: string): string => fields[header.indexOf(name)]?.trim() ?? "";
  const id = getFirst("Activity ID");
  const name = getFirst("Filename");
  const file = name === "" ? undefined : files.get(`${root}${name}`);
  const read = file === undefined ? undefined : await readActivityFile(file);
  const track = read?.track ?? new Track();
  const started = findStart(getFirst("Activity Date"), track);
  if (!/^\d+$/.test(id) || started === null)
    return yield reject(path, offset, "not_an_activity", id === "" ? "no id" : "no time", raw);
  const summary = summarizeTrack(track);
  const elapsed = toNumber(getLast("Elapsed Time"));
  const blob =
    answers.attachments && file !== undefined ? createBlob("file", detectTrackType(file.path), file) : undefined;
  yield createFileRecord("activities", blob, {
    id,
    name: cleanText(getFirst("Activity Name")) || track.name,
    kind: "track",
    sport: cleanText(getFirst("Activity Type")) || track.sport,
    description: cleanText(getFirst("Activity Description")) || null,
    device: cleanText(getFirst("Activity Gear")) || track.device,
    ...summary,
    started_at: formatInstant(started),
    ended_at: summary.ended_at ?? (elapsed === null ? null : formatInstant(started + elapsed * 1000)),
    distance: summary.distance ?? findDistance(header, fields),
    moving_seconds: toNumber(getLast("Moving Time")) ?? summary.moving_seconds,
    elapsed_seconds: elapsed ?? summary.elapsed_seconds,
    ascent_meters: toNumber(getLast("Elevation Gain")) ?? summary.ascent_meters,
    average_heart_rate: toNumber(getLast("Average Heart Rate")) ?? summary.average_heart_rate,
    max_heart_rate: toNumber(getLast("Max Heart Rate")) ?? summary.max_heart_rate,
    average_watts: toNumber(getLast("Average Watts")) ?? summary.average_watts,
    calories: toNumber(getLast("Calories")) ?? summary.calories,
    file: null,
    extra: dropNulls({
      commute: getFirst("Commute") === "true" ? true : null,
      note: read?.note ?? (name !== "" && file === undefined ? "its file is not in the archive" : null),
    }),
  });
}

/** In English prose, in other languages numeric with the day first, else from the file. Always UTC. */
function findStart(written: string, track: Track): number | null {
  const when = parseEnglishTime(written);
  if (when !== null) return toInstant(when.local, "UTC");
  const found = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4}),? (\d{1,2}):(\d\d):(\d\d)$/.exec(written);
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0, second = 0] = found?.slice(1).map(Number) ?? [];
  const local = { year, month, day, hour, minute, second };
  return found !== null && isValidTime(local) ? toInstant(local, "UTC") : track.start;
}

/** The second of two distances is in meters; a single one is in kilometers. */
function findDistance(header: readonly string[], fields: readonly string[]): number | null {
  const [first, last] = [header.indexOf("Distance"), header.lastIndexOf("Distance")];
  const value = toNumber(fields[last]);
  return value === null ? null : first === last ? value * 1000 : value;
}

/** An unreadable file becomes a note on its activity. */
async function readActivityFile(file: Entry): Promise<{ track?: Track; note?: string }> {
  try {
    const { found, failure } = await readTrackFile(file);
    const track = found[0]?.track;
    return {
      ...(track === undefined ? {} : { track }),
      ...(failure === null ? {} : { note: `its file is not whole: ${failure}` }),
    };
  } catch (error) {
    return { note: `its file cannot be read: ${describeError(error)}` };
  }
}
