import { addressOf } from "@pdpp/contract/address";
import type { FieldAggregation, Json, JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { Aggregation, Warning } from "@pdpp/contract/wire";
import type { StreamScope } from "../store/access/scope.ts";
import type { FieldColumn } from "../store/catalog/layout.ts";
import {
  type Counted,
  countDistinct,
  countRanges,
  countWithout,
  extreme,
  firstFrom,
  groups,
  sampleOf,
  sum,
} from "../store/records/aggregates.ts";
import { countRecords } from "../store/records/records.ts";
import { conditionsFrom, readableField } from "./conditions.ts";
import type { ReadContext } from "./context.ts";
import { oneSource } from "./scope.ts";
import { type Granularity, instantAfter, isTimeZone, timeBuckets } from "./time-buckets.ts";

const defaultGroups = 10;
const maxGroups = 100;

type AggregateInput = Input<"aggregate">;
type Group = NonNullable<Aggregation["groups"]>[number];

export async function aggregate(context: ReadContext, input: AggregateInput): Promise<Aggregation> {
  const scope = oneSource(context.scope, input.stream, input.connection_id);
  checkShape(scope, input);
  const conditions = conditionsFrom(scope, input.filter);
  const limit = groupLimit(input);
  return context.store.engine.read(async (on) => {
    const { dialect } = context.store.engine;
    const counted: Counted = { on, dialect, scope, conditions };
    const { total, result } = await resultOf(counted, scope, input, limit);
    context.disclose({ connectionIds: scope.connections.map(({ id }) => id), stream: input.stream, records: 0 });
    return {
      object: "aggregation" as const,
      stream: input.stream,
      metric: input.metric,
      field: input.field ?? null,
      filtered_record_count: total,
      approximate: false as const,
      group_by: input.group_by ?? null,
      group_by_time: input.group_by_time ?? null,
      ...(input.group_by_time === undefined
        ? {}
        : { granularity: input.granularity!, time_zone: input.time_zone ?? "UTC" }),
      ...result,
      links: { self: addressOf("aggregate", input) },
      meta: { warnings: cutWarnings(input, result) },
    };
  }, "heavy");
}

/** Ten buckets of time are easily taken for all of them. */
function cutWarnings(input: AggregateInput, result: object): Warning[] {
  const { other_count: others, limit } = result as { other_count?: number; limit?: number };
  if (input.group_by_time === undefined || !others) return [];
  const message = `only the first ${limit} are shown; send limit (${maxGroups} at most), or a filter on ${input.group_by_time}`;
  return [{ code: "partial_results", message, param: "limit" }];
}

/** The answer, and how many records it is about. */
async function resultOf(counted: Counted, scope: StreamScope, input: AggregateInput, limit: number) {
  if (input.group_by !== undefined) {
    const column = fieldColumn(scope, input.group_by, "group_by", "group_by");
    const { shown, total } = await scalarGroups(counted, column, input.group_by, limit);
    return { total, result: grouped(shown, total, limit) };
  }
  const total = await countRecords(counted.on, counted.dialect, scope, counted.conditions);
  if (input.group_by_time !== undefined) {
    const column = fieldColumn(scope, input.group_by_time, "group_by_time", "group_by_time");
    const shown = await timeGroups(counted, column, input.granularity!, input.time_zone ?? "UTC", limit);
    return { total, result: grouped(shown, total, limit) };
  }
  return { total, result: { value: await metricOf(counted, scope, input, total) } };
}

function grouped(shown: Group[], total: number, limit: number) {
  return { limit, groups: shown, other_count: total - shown.reduce((sum, { count }) => sum + count, 0) };
}

const invalid = (message: string, param: string): PdppError => new PdppError("invalid_request", message, { param });

/** Which parameters go together, before anything is looked up. */
function checkShape(scope: StreamScope, input: AggregateInput): void {
  const { declaration } = scope.stream;
  const grouping = input.group_by ?? input.group_by_time;
  if (declaration.query.aggregations === undefined)
    throw invalid(`stream ${declaration.name} declares no aggregations`, "stream");
  if (input.group_by !== undefined && input.group_by_time !== undefined) {
    throw invalid("group_by and group_by_time exclude each other; send one of them", "group_by_time");
  }
  if (grouping !== undefined && input.metric !== "count")
    throw invalid("groups are counted: send metric=count with group_by or group_by_time", "metric");
  if (input.metric === "count") {
    if (!declaration.countable) throw invalid(`stream ${declaration.name} does not declare count`, "metric");
    if (input.field !== undefined) throw invalid("metric=count counts records and takes no field", "field");
  } else if (input.field === undefined) {
    throw invalid(`metric=${input.metric} needs a field`, "field");
  }
  if ((input.granularity !== undefined) !== (input.group_by_time !== undefined)) {
    throw invalid("granularity goes with group_by_time, and group_by_time needs it", "granularity");
  }
  if (input.time_zone !== undefined) {
    if (input.group_by_time === undefined) throw invalid("time_zone goes with group_by_time", "time_zone");
    if (!isTimeZone(input.time_zone))
      throw invalid(`${JSON.stringify(input.time_zone)} is not an IANA time zone such as Europe/Berlin`, "time_zone");
  }
}

function groupLimit({ limit, group_by, group_by_time }: AggregateInput): number {
  if (limit === undefined) return defaultGroups;
  if (group_by === undefined && group_by_time === undefined)
    throw invalid("limit goes with group_by or group_by_time", "limit");
  const asked = Number(limit);
  if (!Number.isInteger(asked) || asked < 1 || asked > maxGroups)
    throw invalid(`limit must be a whole number from 1 to ${maxGroups}`, "limit");
  return asked;
}

function fieldColumn(scope: StreamScope, name: string, kind: FieldAggregation, param: string): FieldColumn {
  const field = readableField(scope, name, param);
  const column = scope.stream.columns.get(name);
  if (!field.aggregations.includes(kind) || column === undefined) {
    const can = scope.stream.declaration.fields.filter((f) => f.aggregations.includes(kind)).map((f) => f.name);
    throw invalid(`${kind} is not declared for field ${name}; declared for: ${can.join(", ") || "none"}`, param);
  }
  return column;
}

async function metricOf(
  counted: Counted,
  scope: StreamScope,
  { metric, field }: AggregateInput,
  total: number,
): Promise<number | string | null> {
  if (metric === "count") return total;
  const column = fieldColumn(scope, field!, metric, "field");
  switch (metric) {
    case "sum":
      return sum(counted, column);
    case "count_distinct":
      return countDistinct(counted, column);
    default: {
      const data = await extreme(counted, column, metric);
      return data === undefined ? null : ((JSON.parse(data) as JsonObject)[field!] as string | number);
    }
  }
}

async function scalarGroups(
  counted: Counted,
  column: FieldColumn,
  field: string,
  limit: number,
): Promise<{ shown: Group[]; total: number }> {
  const found = await groups(counted, column, limit);
  const shown: Group[] = [];
  for (const { value, count } of found.shown) shown.push({ key: await groupKey(counted, column, field, value), count });
  return { shown, total: found.total };
}

/** Texts that are long, and dates, only stand for the value in their column; a record has it as written. */
async function groupKey(
  counted: Counted,
  column: FieldColumn,
  field: string,
  value: string | number | null,
): Promise<Group["key"]> {
  if (value === null || column.kind === "integer" || column.kind === "number") return value;
  if (column.kind === "boolean") return value === 1;
  if (column.kind === "text" && !String(value).includes("\u0001")) return value;
  const data = await sampleOf(counted, column, value);
  const written: Json | undefined = data === undefined ? undefined : (JSON.parse(data) as JsonObject)[field];
  return typeof written === "string" ? written : value;
}

/** Buckets that hold records, earliest first; records without a time come last. */
async function timeGroups(
  counted: Counted,
  column: FieldColumn,
  granularity: Granularity,
  zone: string,
  limit: number,
): Promise<Group[]> {
  const shown: Group[] = [];
  let after: string | undefined;
  let from = await firstFrom(counted, column, -8.64e15);
  while (from !== undefined && shown.length < limit) {
    const buckets = timeBuckets(granularity, zone, from, limit, after);
    if (buckets.length === 0) break;
    const ranges = buckets.flatMap(({ ranges }, n) => ranges.map((range) => ({ n, lo: range.from, hi: range.to })));
    const counts = await countRanges(counted, column, ranges);
    buckets.forEach(({ key }, n) => {
      const count = counts.get(n) ?? 0;
      if (count > 0 && shown.length < limit) shown.push({ key, count });
    });
    after = buckets.at(-1)!.key;
    from = await firstFrom(counted, column, instantAfter(granularity, zone, after));
  }
  if (shown.length < limit) {
    const without = await countWithout(counted, column);
    if (without > 0) shown.push({ key: null, count: without });
  }
  return shown;
}
