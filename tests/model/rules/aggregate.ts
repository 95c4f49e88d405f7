import type { FieldAggregation, JsonObject } from "@pdpp/contract/declaration";
import type { AggregateRequest } from "../requests.ts";
import { type FieldSpec, findFieldSpec } from "../spec.ts";
import {
  type ExpectedError,
  filterFaults,
  findFieldErrors,
  getVisibleUnit,
  matchesFilter,
  resolveSource,
} from "./checks.ts";
import { listVisible, type Source, type VisibleRecord } from "./grant.ts";
import { getBucketKey } from "./local-time.ts";
import { type Comparable, compareTexts, compareValues, toComparable } from "./order.ts";
import { About, type Prediction, type World } from "./world.ts";

export function predictAggregate(world: World, request: AggregateRequest): Prediction {
  const faultsIn = (source: Source) => [...findShapeErrors(source, request), ...filterFaults(source, request.filter)];
  const found = resolveSource(world, request, faultsIn);
  if ("faults" in found) return found;
  const { source } = found;
  const faults = faultsIn(source);
  if (faults.length > 0) return { faults };
  const records = listVisible(source, world.snapshot).filter((record) => matchesFilter(source, request.filter, record));
  const head: JsonObject = {
    object: "aggregation",
    stream: request.stream,
    metric: request.metric,
    field: request.field ?? null,
    filtered_record_count: records.length,
    approximate: false,
    group_by: request.group_by ?? null,
    group_by_time: request.group_by_time ?? null,
    ...(request.group_by_time === undefined
      ? {}
      : { granularity: request.granularity!, time_zone: request.time_zone ?? "UTC" }),
  };
  if (request.group_by !== undefined || request.group_by_time !== undefined) {
    const limit = Number(request.limit ?? 10);
    const groups =
      request.group_by !== undefined
        ? groupByScalar(source, records, request.group_by, rankIn(source, records, request))
        : groupByTime(source, records, request);
    const rest = groups.slice(limit).reduce((sum, group) => sum + group.members.length, 0);
    const shown = groups.slice(0, limit).map(({ key, members }) => ({
      key,
      count: members.length,
      ...(request.metric === "count" ? {} : measured(source, members, request)),
    }));
    return { aggregate: { ...head, limit, groups: shown as never, other_count: rest } };
  }
  return { aggregate: { ...head, ...(computeValue(source, records, request) as JsonObject) } };
}

function findShapeErrors(source: Source, request: AggregateRequest): ExpectedError[] {
  const refused: ExpectedError = [400, "invalid_request"];
  const faults: ExpectedError[] = [];
  const grouping = request.group_by ?? request.group_by_time;
  if (request.group_by !== undefined && request.group_by_time !== undefined) faults.push(refused);
  if (grouping !== undefined && request.metric === "count_distinct") faults.push(refused);
  if (request.metric === "count" && (!source.stream.countable || request.field !== undefined)) faults.push(refused);
  if (request.metric !== "count" && request.field === undefined) faults.push(refused);
  if ((request.granularity === undefined) !== (request.group_by_time === undefined)) faults.push(refused);
  if (request.time_zone !== undefined && (request.group_by_time === undefined || !isZone(request.time_zone)))
    faults.push(refused);
  if (request.limit !== undefined) {
    const limit = Number(request.limit);
    if (grouping === undefined || !Number.isInteger(limit) || limit < 1 || limit > 100) faults.push(refused);
  }
  const uses: [string | undefined, string][] = [
    [request.field, request.metric],
    [request.group_by, "group_by"],
    [request.group_by_time, "group_by_time"],
  ];
  for (const [name, use] of uses) {
    if (name === undefined) continue;
    const of = findFieldErrors(source, name);
    faults.push(...of);
    if (of.length === 0 && !findFieldSpec(source.stream, name)!.aggregations.includes(use as FieldAggregation))
      faults.push(refused);
  }
  return faults;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
}

interface Group {
  readonly key: string | number | boolean | null;
  readonly members: readonly VisibleRecord[];
}

const valueIn = (field: FieldSpec, record: VisibleRecord): Comparable =>
  toComparable(field.kind, record.data[field.name]);

/** Dates group as instants and show the spelling of the record with the smallest key. */
function groupByScalar(
  source: Source,
  records: readonly VisibleRecord[],
  name: string,
  rankOf: (members: readonly VisibleRecord[]) => number = () => 0,
): Group[] {
  const field = findFieldSpec(source.stream, name)!;
  const groups = new Map<Comparable, VisibleRecord[]>();
  for (const record of records) {
    const value = valueIn(field, record);
    groups.set(value, [...(groups.get(value) ?? []), record]);
  }
  return [...groups]
    .sort(([a, x], [b, y]) => {
      if (rankOf(x) !== rankOf(y)) return rankOf(y) - rankOf(x);
      if (x.length !== y.length) return y.length - x.length;
      if (a === null || b === null) return a === null ? 1 : -1;
      return compareValues(a, b);
    })
    .map(([value, members]) => ({
      key: value === null ? null : (byKey(members)[0]!.data[name] as Group["key"]),
      members,
    }));
}

/** Groups are ordered by their number in the most frequent unit; sums by hundredths, rounded down and bounded. */
function rankIn(
  source: Source,
  records: readonly VisibleRecord[],
  { metric, field: name }: AggregateRequest,
): (members: readonly VisibleRecord[]) => number {
  if (name === undefined || metric === "count") return () => 0;
  const field = findFieldSpec(source.stream, name)!;
  const isHeld = (record: VisibleRecord) => valueIn(field, record) !== null;
  const unit = getVisibleUnit(source, name);
  const main = unit && groupByScalar(source, records.filter(isHeld), unit.name)[0]?.members[0];
  const inUnit = (record: VisibleRecord) =>
    unit === undefined || main === undefined || valueIn(unit, record) === valueIn(unit, main);
  return (members) => {
    const values = members
      .filter((record) => isHeld(record) && inUnit(record))
      .map((each) => Number(valueIn(field, each)));
    if (values.length === 0) return -1e300;
    if (metric === "max") return values.reduce((a, b) => Math.max(a, b));
    if (metric === "min") return -values.reduce((a, b) => Math.min(a, b));
    return values.map(hundredths).reduce((a, b) => a + b);
  };
}

const hundredths = (value: number): number =>
  Math.abs(value) > 9e11 ? Math.sign(value) * 9e13 : Math.floor(value * 100);

const byKey = (records: readonly VisibleRecord[]): VisibleRecord[] =>
  [...records].sort((a, b) => compareTexts(a.key, b.key) || (a.connectionId < b.connectionId ? -1 : 1));

function groupByTime(
  source: Source,
  records: readonly VisibleRecord[],
  { group_by_time: name, granularity, time_zone: zone }: AggregateRequest,
): Group[] {
  const field = findFieldSpec(source.stream, name!)!;
  const groups = new Map<string | null, VisibleRecord[]>();
  for (const record of records) {
    const time = valueIn(field, record);
    const key = time === null ? null : getBucketKey(time as number, granularity!, zone ?? "UTC");
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups]
    .map(([key, members]) => ({ key, members }))
    .sort((a, b) => (a.key === null ? 1 : b.key === null ? -1 : a.key < b.key ? -1 : 1));
}

function computeValue(source: Source, records: readonly VisibleRecord[], request: AggregateRequest): object {
  const { metric, field: name } = request;
  if (metric === "count") return { value: records.length };
  if (metric !== "count_distinct") return measured(source, records, request);
  const field = findFieldSpec(source.stream, name!)!;
  const values = records.map((record) => valueIn(field, record)).filter((value) => value !== null);
  return { value: new Set(values).size };
}

const mostUnits = 12;

/** One value, or one per unit if there are several, most frequent first. */
function measured(
  source: Source,
  records: readonly VisibleRecord[],
  { metric, field: name }: AggregateRequest,
): object {
  const field = findFieldSpec(source.stream, name!)!;
  const held = records.filter((record) => valueIn(field, record) !== null);
  const unit = getVisibleUnit(source, name!);
  if (unit === undefined) return { value: valueOver(field, held, metric) };
  const units = groupByScalar(source, held, unit.name);
  const [only] = units;
  if (units.length < 2)
    return {
      value: valueOver(field, held, metric),
      ...(only === undefined || only.key === null ? { unit: undefined } : { unit: only.key }),
    };
  const listed = units.slice(0, mostUnits).map(({ key, members }) => ({
    unit: key,
    count: members.length,
    value: valueOver(field, members, metric),
  }));
  const others = units.slice(mostUnits).reduce((sum, { members }) => sum + members.length, 0);
  return { value: null, by_unit: listed, ...(others === 0 ? {} : { other_units_count: others }) };
}

/** The sum, or the extreme value as written by the record with the smallest key. */
function valueOver(field: FieldSpec, held: readonly VisibleRecord[], metric: string): unknown {
  if (held.length === 0) return null;
  const values = held.map((record) => valueIn(field, record)!);
  if (metric === "sum") return sumDecimals(values as number[]);
  const way = metric === "min" ? 1 : -1;
  const end = values.reduce((best, value) => (way * compareValues(value, best) < 0 ? value : best));
  return byKey(held.filter((record) => valueIn(field, record) === end))[0]!.data[field.name];
}

/** Adds in decimal and rounds once at the end. Approximate for digits beyond millionths. */
function sumDecimals(values: readonly number[]): number | About {
  const units = values.map(decimal);
  const value = Number(formatDecimal(units.reduce((sum, unit) => sum + unit, 0n)));
  const exact = units.every((unit, i) => unit % millionth === 0n && Math.abs(values[i]!) < 2 ** 53 / 1e6);
  return exact ? value : new About(value, values.reduce((sum, v) => sum + Math.abs(v), 0) * 2 ** -51);
}

const places = 40;
const millionth = 10n ** BigInt(places - 6);

function decimal(value: number): bigint {
  const [mantissa, exponent = "0"] = String(value).split("e") as [string, string?];
  const [whole, fraction = ""] = mantissa.replace("-", "").split(".") as [string, string?];
  const digits = BigInt(whole + fraction) * 10n ** BigInt(places + Number(exponent) - fraction.length);
  return value < 0 ? -digits : digits;
}

function formatDecimal(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
