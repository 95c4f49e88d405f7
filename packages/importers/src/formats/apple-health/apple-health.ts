import type { JsonObject } from "@pdpp/contract/declaration";
import { deriveId } from "../../core/identity.ts";
import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import {
  createBlob,
  createClaim,
  createFileRecord,
  createRecord,
  getLatestModification,
  mark,
  reject,
} from "../../core/items.ts";
import { readXmlElements, type XmlElement } from "../../core/parsing/xml-elements.ts";
import { findChildren, parseXml, type XmlNode } from "../../core/parsing/xml-tree.ts";
import { listRemainingEntries, rejectElement } from "../../core/reading.ts";
import { cleanText, toNumber, trimToNull } from "../../core/text/clean.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { getFileName, getFolder, guessMimeType } from "../../core/text/paths.ts";
import { parseLocalTime } from "../../core/time/times.ts";
import { type Entry, readHead, type Tree } from "../../tree/tree.ts";
import { healthManifest } from "./manifest.ts";

/** Apple Health: one XML file with all measurements, and workout routes in separate files. */
export const appleHealth: Importer = {
  key: "apple-health",
  title: "Apple Health",
  version: "1",
  testedWith: "files of that shape",
  manifest: healthManifest,
  mainStream: "samples",
  mergeRules: { workouts: { fill: ["route"] } },
  sniff: (_path, { text }) => /^\s*(<\?xml[^>]*>\s*)?(<!DOCTYPE HealthData\b|<HealthData\b)/.test(text),
  createClaims,
  read,
};

async function createClaims(found: readonly Entry[], tree: Tree): Promise<Claim[]> {
  const all: Claim[] = [];
  for (const entry of found) {
    const folder = getFolder(entry.path);
    const isBeside = ({ path }: Entry): boolean =>
      path.startsWith(folder) && (/\/workout-routes\/|^workout-routes\//.test(path) || /export_cda\.xml$/.test(path));
    all.push(
      createClaim("apple-health", "Apple Health", [entry], {
        companions: tree.entries.filter(isBeside),
        exportedAt: (await readExportTime(entry)) ?? getLatestModification([entry]),
      }),
    );
  }
  return all;
}

async function readExportTime(entry: Entry): Promise<number | null> {
  const head = Buffer.from(await readHead(entry, 65_536)).toString("latin1");
  const exportDate = parseTime(/<ExportDate\s+value="([^"]*)"/.exec(head)?.[1]);
  return exportDate === null ? null : Date.parse(exportDate);
}

const childNames = ["Record", "Workout", "Correlation", "ActivitySummary", "ClinicalRecord", "ExportDate", "Me"];
const maxElementBytes = 64 * 1024 * 1024;
const skipReasons: Readonly<Record<string, string>> = {
  ActivitySummary: "daily summaries repeat the measurements",
  ClinicalRecord: "clinical records are not supported",
  Audiogram: "audiograms are not supported",
  VisionPrescription: "prescriptions are not supported",
};

async function* read(claim: Claim, _answers: Answers, from?: Mark): AsyncGenerator<Item> {
  const routes = new Map(claim.companions.map((entry) => [getFileName(entry.path), entry]));
  let passed = 0;
  for (const { index, entry, start } of listRemainingEntries(claim, from)) {
    for await (const element of readXmlElements(entry, { from: start, maxBytes: maxElementBytes, childNames })) {
      if (element.failure !== undefined) yield rejectElement(entry, element);
      else for (const item of parseElement(element, entry.path, routes)) yield item;
      // A mark for each of millions of measurements would double the time.
      passed += 1;
      if (passed % 16 === 0) yield mark(index, element.end);
    }
    yield mark(index + 1, 0);
  }
}

function parseElement({ name, offset, raw }: XmlElement, path: string, routes: ReadonlyMap<string, Entry>): Item[] {
  const items: Item[] = [];
  try {
    const node = parseNode(raw);
    const reason = skipReasons[node.name];
    if (reason !== undefined) items.push({ kind: "skipped", path, reason });
    else if (node.name === "Record") items.push(createSample(node));
    else if (node.name === "Workout") items.push(createWorkout(node, routes));
    // Correlated records are also listed on their own, with the same id.
    else if (node.name === "Correlation")
      for (const inner of findChildren(node, "Record")) items.push(createSample(inner));
  } catch (error) {
    items.push(reject(path, offset, "malformed", `cannot read this ${name}: ${describeError(error)}`, raw));
  }
  return items;
}

/** Drops control characters that XML forbids, which some app names contain. */
function parseNode(raw: Uint8Array): XmlNode {
  const isForbidden = (byte: number): boolean => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
  try {
    return parseXml(raw);
  } catch (error) {
    // Checked only on failure, because checking takes as long as parsing.
    if (!raw.some(isForbidden)) throw error;
    return parseXml(raw.filter((byte) => !isForbidden(byte)));
  }
}

/** Parses `2018-09-10 02:28:55 -0700` and keeps the offset. */
function parseTime(text: string | undefined): string | null {
  const found = /^(\d{4}-\d\d-\d\d) ([01]\d|2[0-3])(:[0-5]\d:[0-5]\d) ?([+-](?:0\d|1[0-4])):?([0-5]\d)$/.exec(
    text?.trim() ?? "",
  );
  if (found === null) return null;
  const [, day = "", hour, clock, hours, minutes] = found;
  return days.get(day) ? `${day}T${hour}${clock}${hours}:${minutes}` : null;
}

/** A cache for the few values that repeat millions of times. */
class Cache<T> {
  readonly #known = new Map<string, T>();
  readonly #make: (text: string) => T;

  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  get(text: string): T {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= 2000) this.#known.clear();
    const made = this.#make(text);
    this.#known.set(text, made);
    return made;
  }
}

const days = new Cache((day) => parseLocalTime(`${day}T00:00:00`) !== null);
const devices = new Cache(parseDevice);

function getStartTime(node: XmlNode): string {
  const at = parseTime(node.attributes.startDate);
  if (at === null) throw new Error("no time");
  return at;
}

/** Strips the common prefixes: `HeartRate`, `AsleepCore`. */
const stripTypePrefix = (text: string): string =>
  cleanText(text).replace(/^HK(?:Quantity|Category|Data|Correlation)TypeIdentifier|^HKWorkoutActivityType/, "");

function createSample(node: XmlNode): Item {
  const { type = "", sourceName, unit, value, startDate, endDate } = node.attributes;
  if (type === "") throw new Error("no type");
  const number = toNumber(value);
  return createRecord("samples", {
    id: deriveId("health", type, sourceName, startDate, endDate, value, unit),
    type: stripTypePrefix(type),
    value: number,
    unit: trimToNull(unit),
    value_text:
      number === null && value !== undefined
        ? (trimToNull(value.replace(/^HKCategoryValue(SleepAnalysis)?/, "")) ?? null)
        : null,
    started_at: getStartTime(node),
    ended_at: parseTime(endDate),
    created_at: parseTime(node.attributes.creationDate),
    source: trimToNull(sourceName),
    device: getDevice(node),
    extra: readMetadata(node),
  });
}

/** Device descriptions contain a memory address that changes with every export; only the names are kept. */
const getDevice = (node: XmlNode): string | null => devices.get(node.attributes.device ?? "");

function parseDevice(text: string): string | null {
  const findPart = (name: string): string | undefined =>
    new RegExp(`\\b${name}:(.+?)(?=, \\w+:|>|$)`).exec(text)?.[1]?.trim();
  const [name, hardware] = [findPart("name"), findPart("hardware")];
  if (name === undefined) return trimToNull(text.replace(/<HKDevice: 0x[0-9a-f]+>,?\s*/i, "").replace(/^<|>$/g, ""));
  return trimToNull(hardware === undefined ? name : `${name} (${hardware})`);
}

function readMetadata(node: XmlNode): JsonObject {
  const metadata: [string, string][] = findChildren(node, "MetadataEntry").map(
    ({ attributes: { key = "", value = "" } }) => [cleanText(key), cleanText(value)],
  );
  return metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function createWorkout(node: XmlNode, routes: ReadonlyMap<string, Entry>): Item {
  const { workoutActivityType = "", sourceName, startDate, endDate } = node.attributes;
  const route = findChildren(node, "WorkoutRoute");
  const file = route
    .flatMap((each) => findChildren(each, "FileReference"))
    .map(({ attributes: { path = "" } }) => routes.get(getFileName(path)))
    .find((entry) => entry !== undefined);
  const distance = readTotal(node, "totalDistance", /Distance/);
  const energy = readTotal(node, "totalEnergyBurned", /ActiveEnergyBurned/);
  const points = route.reduce((sum, each) => sum + findChildren(each, "Location").length, 0);
  const blob = file === undefined ? undefined : createBlob("route", guessMimeType(file.path), file);
  return createFileRecord("workouts", blob, {
    id: deriveId("health-workout", workoutActivityType, sourceName, startDate, endDate),
    type: stripTypePrefix(workoutActivityType),
    started_at: getStartTime(node),
    ended_at: parseTime(endDate),
    duration_minutes: getDurationMinutes(node),
    distance: distance.value,
    distance_unit: distance.unit,
    energy: energy.value,
    energy_unit: energy.unit,
    source: trimToNull(sourceName),
    device: getDevice(node),
    route_points: points === 0 ? null : points,
    route: null,
    extra: { ...readMetadata(node), ...readStatistics(node) },
  });
}

function getDurationMinutes(node: XmlNode): number | null {
  const { duration, durationUnit = "min", startDate, endDate } = node.attributes;
  const given = toNumber(duration);
  if (given !== null) return durationUnit === "s" ? given / 60 : durationUnit === "hr" ? given * 60 : given;
  const [start, end] = [parseTime(startDate), parseTime(endDate)];
  return start === null || end === null ? null : (Date.parse(end) - Date.parse(start)) / 60_000;
}

/** Older exports have totals as attributes of the workout, newer ones as statistics. */
function readTotal(node: XmlNode, attribute: string, type: RegExp): { value: number | null; unit: string | null } {
  const whole = toNumber(node.attributes[attribute]);
  if (whole !== null) return { value: whole, unit: trimToNull(node.attributes[`${attribute}Unit`]) };
  const found = findChildren(node, "WorkoutStatistics").find(({ attributes }) => type.test(attributes.type ?? ""));
  return { value: toNumber(found?.attributes.sum), unit: trimToNull(found?.attributes.unit) };
}

function readStatistics(node: XmlNode): JsonObject {
  const all = findChildren(node, "WorkoutStatistics").map(({ attributes }): [string, JsonObject] => {
    const { type = "", unit } = attributes;
    const numbers: JsonObject = {};
    for (const name of ["sum", "average", "minimum", "maximum"]) {
      const number = toNumber(attributes[name]);
      if (number !== null) numbers[name] = number;
    }
    return [stripTypePrefix(type), { ...numbers, unit: trimToNull(unit) }];
  });
  return all.length === 0 ? {} : { statistics: Object.fromEntries(all) };
}
