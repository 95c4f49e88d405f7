import type { FieldAggregation, JsonObject } from "@pdpp/contract/declaration";
import { bucketKey } from "./local-time.ts";
import { type Fault, fieldFaults, filterFaults, matches, oneSource } from "./model-checks.ts";
import { type Seen, type Source, seenBy } from "./model-grant.ts";
import type { Prediction, World } from "./model-world.ts";
import { type Comparable, comparable, compareTexts, compareValues } from "./order.ts";
import type { AggregateRequest } from "./requests.ts";
import { type FieldSpec, fieldSpec } from "./spec.ts";

export function aggregated(world: World, request: AggregateRequest): Prediction {
  const found = oneSource(world, request.stream, request.connection_id);
  if ("faults" in found) return found;
  const { source } = found;
  const faults = [...shapeFaults(source, request), ...filterFaults(source, request.filter)];
  if (faults.length > 0) return { faults };
  const records = seenBy(source, world.snapshot).filter((record) => matches(source, request.filter, record));
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
        ? scalarGroups(source, records, request.group_by)
        : timeGroups(source, records, request);
    const rest = groups.slice(limit).reduce((sum, group) => sum + group.count, 0);
    return { aggregate: { ...head, limit, groups: groups.slice(0, limit) as never, other_count: rest } };
  }
  return singleValue(source, records, request, head);
}

function shapeFaults(source: Source, request: AggregateRequest): Fault[] {
  const refused: Fault = [400, "invalid_request"];
  const faults: Fault[] = [];
  const grouping = request.group_by ?? request.group_by_time;
  if (request.group_by !== undefined && request.group_by_time !== undefined) faults.push(refused);
  if (grouping !== undefined && request.metric !== "count") faults.push(refused);
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
    const of = fieldFaults(source, name);
    faults.push(...of);
    if (of.length === 0 && !fieldSpec(source.stream, name)!.aggregations.includes(use as FieldAggregation))
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
  readonly count: number;
}

const valueIn = (field: FieldSpec, record: Seen): Comparable => comparable(field.kind, record.data[field.name]);

/** Dates group as instants and show one spelling: that of the record with the smallest key. */
function scalarGroups(source: Source, records: readonly Seen[], name: string): Group[] {
  const field = fieldSpec(source.stream, name)!;
  const groups = new Map<Comparable, Seen[]>();
  for (const record of records) {
    const value = valueIn(field, record);
    groups.set(value, [...(groups.get(value) ?? []), record]);
  }
  return [...groups]
    .sort(([a, x], [b, y]) => {
      if (x.length !== y.length) return y.length - x.length;
      if (a === null || b === null) return a === null ? 1 : -1;
      return compareValues(a, b);
    })
    .map(([value, members]) => ({
      key: value === null ? null : (byKey(members)[0]!.data[name] as Group["key"]),
      count: members.length,
    }));
}

const byKey = (records: readonly Seen[]): Seen[] =>
  [...records].sort((a, b) => compareTexts(a.key, b.key) || (a.connectionId < b.connectionId ? -1 : 1));

function timeGroups(
  source: Source,
  records: readonly Seen[],
  { group_by_time: name, granularity, time_zone: zone }: AggregateRequest,
): Group[] {
  const field = fieldSpec(source.stream, name!)!;
  const counts = new Map<string | null, number>();
  for (const record of records) {
    const time = valueIn(field, record);
    const key = time === null ? null : bucketKey(time as number, granularity!, zone ?? "UTC");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => (a.key === null ? 1 : b.key === null ? -1 : a.key < b.key ? -1 : 1));
}

function singleValue(
  source: Source,
  records: readonly Seen[],
  { metric, field: name }: AggregateRequest,
  head: JsonObject,
): Prediction {
  if (metric === "count") return { aggregate: { ...head, value: records.length } };
  const field = fieldSpec(source.stream, name!)!;
  const held = records.filter((record) => valueIn(field, record) !== null);
  const values = held.map((record) => valueIn(field, record)!);
  switch (metric) {
    case "count_distinct":
      return { aggregate: { ...head, value: new Set(values).size } };
    case "sum":
      return { aggregate: head, ...sumOf(values as number[]) };
    default: {
      if (held.length === 0) return { aggregate: { ...head, value: null } };
      const way = metric === "min" ? 1 : -1;
      const end = values.reduce((best, value) => (way * compareValues(value, best) < 0 ? value : best));
      const ends = byKey(held.filter((record) => valueIn(field, record) === end));
      return { aggregate: { ...head, value: ends[0]!.data[name!]! } };
    }
  }
}

/** As a person adds: in decimals, and rounded once at the end. With finer digits than millionths only about so. */
function sumOf(values: readonly number[]): { oneOf: unknown[] } | { about: { value: number; within: number } } {
  if (values.length === 0) return { oneOf: [null] };
  const units = values.map(decimal);
  const value = Number(decimalText(units.reduce((sum, unit) => sum + unit, 0n)));
  const exact = units.every((unit, i) => unit % millionth === 0n && Math.abs(values[i]!) < 2 ** 53 / 1e6);
  if (exact) return { oneOf: [value] };
  return { about: { value, within: values.reduce((sum, v) => sum + Math.abs(v), 0) * 2 ** -51 } };
}

const places = 40;
const millionth = 10n ** BigInt(places - 6);

function decimal(value: number): bigint {
  const [mantissa, exponent = "0"] = String(value).split("e") as [string, string?];
  const [whole, fraction = ""] = mantissa.replace("-", "").split(".") as [string, string?];
  const digits = BigInt(whole + fraction) * 10n ** BigInt(places + Number(exponent) - fraction.length);
  return value < 0 ? -digits : digits;
}

function decimalText(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
