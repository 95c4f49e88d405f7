import { addressOf } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import { type FieldAggregation, fieldOf, type Json, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { Aggregation, Warning } from "@pdpp/contract/wire";
import { groupForm } from "@pdpp/evidence/forms/group";
import { pageRoom } from "@pdpp/evidence/forms/page-room";
import { type StreamScope, shownDeclaration } from "../store/access/scope.ts";
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
  valuesBeside,
} from "../store/records/aggregates.ts";
import { countRecords } from "../store/records/records.ts";
import { conditionsFrom, readableField } from "./conditions.ts";
import { bindingOf, type ReadContext, readHeavily } from "./context.ts";
import { openCursor, sealCursor } from "./cursor.ts";
import { oneSource } from "./scope.ts";
import { type Granularity, instantAfter, isTimeZone, timeBuckets } from "./time-buckets.ts";

const defaultGroups = 10;
const maxGroups = 100;

type AggregateInput = Input<"aggregate">;
type Group = NonNullable<Aggregation["groups"]>[number];

export async function aggregate(context: ReadContext, input: AggregateInput): Promise<Aggregation> {
  const scope = oneSource(context.scope, input.stream, input.connection_id);
  const conditions = conditionsFrom(scope, input.filter);
  checkShape(scope, input);
  const result = await readHeavily(context, (on) => {
    const counted: Counted = { on, dialect: context.store.engine.dialect, scope, conditions };
    const grouping = groupingOf(scope, input);
    return grouping === undefined ? numberFor(counted, scope, input) : groupsPage(context, counted, grouping, input);
  });
  const { total, warnings, next_cursor: cursor, ...shown } = result;
  context.disclose({
    connectionIds: scope.connections.map(({ id }) => id),
    stream: input.stream,
    records: 0,
    versions: [],
  });
  return {
    object: "aggregation",
    stream: input.stream,
    metric: input.metric,
    field: input.field ?? null,
    filtered_record_count: total,
    approximate: false,
    group_by: input.group_by ?? null,
    group_by_time: input.group_by_time ?? null,
    ...(input.group_by_time === undefined
      ? {}
      : { granularity: input.granularity, time_zone: input.time_zone ?? "UTC" }),
    ...shown,
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    links: {
      self: addressOf("aggregate", input),
      ...(shown.groups === undefined
        ? {}
        : { next: cursor === undefined ? null : addressOf("aggregate", { ...input, cursor }) }),
    },
    meta: { warnings },
  };
}

/** What an aggregation comes to, and how many records it is about. */
interface Result
  extends Partial<Pick<Aggregation, "value" | "groups" | "other_count" | "has_more" | "unit" | "by_unit">> {
  readonly total: number;
  readonly limit?: number;
  readonly next_cursor?: string | undefined;
  readonly warnings: Warning[];
}

async function numberFor(counted: Counted, scope: StreamScope, input: AggregateInput): Promise<Result> {
  const total = await countRecords(counted.on, counted.dialect, scope, counted.conditions);
  const value = await metricOf(counted, scope, input, total);
  return { total, value, warnings: [], ...(await unitsOf(counted, scope, input)) };
}

/** Groups by the values of a field, or by periods of a time. */
type Grouping =
  | { readonly by: "value"; readonly field: string; readonly column: FieldColumn }
  | { readonly by: "time"; readonly column: FieldColumn; readonly granularity: Granularity; readonly zone: string };

function groupingOf(scope: StreamScope, input: AggregateInput): Grouping | undefined {
  const { group_by: field, group_by_time: time, granularity, time_zone: zone = "UTC" } = input;
  if (field !== undefined) return { by: "value", field, column: fieldColumn(scope, field, "group_by", "group_by") };
  if (time === undefined || granularity === undefined) return undefined;
  return { by: "time", column: fieldColumn(scope, time, "group_by_time", "group_by_time"), granularity, zone };
}

/** The last group of a page, and how many records are in the groups up to it. */
type Position = readonly [key: string | number | null, count: number, seen: number];

async function groupsPage(
  context: ReadContext,
  counted: Counted,
  grouping: Grouping,
  input: AggregateInput,
): Promise<Result> {
  const limit = groupLimit(input);
  const { group_by = null, group_by_time = null, granularity = null } = input;
  const query = [group_by, group_by_time, granularity, input.time_zone ?? "UTC", counted.conditions as never];
  const binding = bindingOf(counted.scope, "groups", query);
  const after =
    input.cursor === undefined
      ? undefined
      : (openCursor(context.keys, binding, input.cursor, "cursor") as readonly Json[] as Position);
  // One more than is shown tells whether there are more.
  const found =
    grouping.by === "value"
      ? await valueGroups(counted, grouping.column, limit + 1, after)
      : await timeGroups(counted, grouping, limit + 1, after?.[0]);
  const total = found.total ?? (await countRecords(counted.on, counted.dialect, counted.scope, counted.conditions));
  const cursorAt = (place: Position) => sealCursor(context.keys, binding, [...place]);
  const fits = pageRoom(input.max_chars);
  const shown: Group[] = [];
  let last = after;
  for (const { value, count } of found.groups.slice(0, limit)) {
    const group: Group = { key: grouping.by === "time" ? value : await groupKey(counted, grouping, value), count };
    const place: Position = [value, count, (last?.[2] ?? 0) + count];
    const hasRoom = fits(
      () => groupForm(group),
      () => cursorAt(place),
    );
    if (!hasRoom) break;
    shown.push(group);
    last = place;
  }
  const next = found.groups.length > shown.length ? last : undefined;
  return {
    total,
    limit,
    groups: shown,
    other_count: Math.max(0, total - (last?.[2] ?? 0)),
    has_more: next !== undefined,
    next_cursor: next && cursorAt(next),
    warnings: next !== undefined && grouping.by === "time" ? [cutTimes(shown.length)] : [],
  };
}

/** Ten buckets of time are easily taken for all of them. */
const cutTimes = (shown: number): Warning => ({
  code: "partial_results",
  message: `these are ${shown} of the periods, in order; more follow`,
  param: "limit",
});

/** What the amounts are counted in. Those of several units make no number: each unit has one of its own. */
async function unitsOf(
  counted: Counted,
  scope: StreamScope,
  input: AggregateInput,
): Promise<Partial<Pick<Result, "warnings" | "unit" | "by_unit">>> {
  const { metric, field: name } = input;
  if (name === undefined || !["sum", "min", "max"].includes(metric)) return {};
  const unit = fieldOf(shownDeclaration(scope), name)?.unitField;
  const [column, held] = [
    unit === undefined ? undefined : scope.stream.columns.get(unit),
    scope.stream.columns.get(name),
  ];
  if (unit === undefined || column === undefined || held === undefined) return {};
  const found = await valuesBeside(counted, column, held, mostUnits + 1);
  const units: { key: string | null; count: number }[] = [];
  for (const { value, count } of found.slice(0, mostUnits)) {
    const key = await groupKey(counted, { field: unit, column }, value);
    units.push({ key: key === null ? null : String(key), count });
  }
  const [only] = units;
  if (units.length < 2) return typeof only?.key === "string" ? { unit: only.key } : {};
  const words = [...units.map(({ key }) => key ?? "none"), ...(found.length > mostUnits ? ["others"] : [])].join(", ");
  const message = `${name} is in several units (${words}), and this ${metric} mixes them; filter by ${unit} for one of them`;
  return {
    warnings: [{ code: "mixed_units", message, param: "field", field: unit }],
    by_unit: units.map(({ key, count }) => ({
      unit: key,
      count,
      ...(key === null ? {} : { read: unitRead(input, unit, key) }),
    })),
  };
}

const mostUnits = 6;

const unitRead = ({ stream, connection_id, metric, field, filter }: AggregateInput, unit: string, value: string) =>
  continueWith("aggregate", {
    stream,
    ...(connection_id === undefined ? {} : { connection_id }),
    metric,
    field,
    filter: { ...filter, [unit]: value },
  });

const invalid = (message: string, param: string): PdppError => new PdppError("invalid_request", message, { param });

/** Which parameters go together, before anything is looked up. */
function checkShape(scope: StreamScope, input: AggregateInput): void {
  const declaration = shownDeclaration(scope);
  const grouping = input.group_by ?? input.group_by_time;
  if (declaration.query.aggregations === undefined)
    throw invalid(`stream ${declaration.name} declares no aggregations`, "stream");
  if (input.group_by !== undefined && input.group_by_time !== undefined) {
    throw invalid("group_by and group_by_time exclude each other; send one of them", "group_by_time");
  }
  if (grouping !== undefined && input.metric !== "count")
    throw invalid(
      `groups are only counted; for the ${input.metric} of one group, filter by its value and leave the grouping out`,
      "metric",
    );
  if (input.metric === "count") {
    if (!declaration.countable) throw invalid(`stream ${declaration.name} does not declare count`, "metric");
    if (input.field !== undefined) throw invalid("the metric count counts records and takes no field", "field");
  } else if (input.field === undefined) {
    throw invalid(`the metric ${input.metric} needs a field`, "field");
  }
  if (input.limit !== undefined && grouping === undefined)
    throw invalid("limit goes with group_by or group_by_time", "limit");
  if (input.cursor !== undefined && grouping === undefined)
    throw invalid("cursor goes with group_by or group_by_time", "cursor");
  if (input.max_chars !== undefined && grouping === undefined)
    throw invalid("max_chars goes with group_by or group_by_time", "max_chars");
  if ((input.granularity !== undefined) !== (input.group_by_time !== undefined)) {
    throw invalid("granularity goes with group_by_time, and group_by_time needs it", "granularity");
  }
  if (input.time_zone !== undefined) {
    if (input.group_by_time === undefined) throw invalid("time_zone goes with group_by_time", "time_zone");
    if (!isTimeZone(input.time_zone))
      throw invalid(`${JSON.stringify(input.time_zone)} is not an IANA time zone such as Europe/Berlin`, "time_zone");
  }
}

function groupLimit({ limit }: AggregateInput): number {
  if (limit === undefined) return defaultGroups;
  const asked = Number(limit);
  if (!Number.isInteger(asked) || asked < 1 || asked > maxGroups)
    throw invalid(`limit must be a whole number from 1 to ${maxGroups}`, "limit");
  return asked;
}

function fieldColumn(scope: StreamScope, name: string, kind: FieldAggregation, param: string): FieldColumn {
  const field = readableField(scope, name, param);
  const column = scope.stream.columns.get(name);
  if (!field.aggregations.includes(kind) || column === undefined) {
    const can = shownDeclaration(scope)
      .fields.filter((f) => f.aggregations.includes(kind))
      .map((f) => f.name);
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

/** Groups as the store has them; the total when it comes along. */
interface Found {
  readonly groups: readonly { readonly value: string | number | null; readonly count: number }[];
  readonly total: number | undefined;
}

async function valueGroups(
  counted: Counted,
  column: FieldColumn,
  most: number,
  after: Position | undefined,
): Promise<Found> {
  const found = await groups(counted, column, most, after && { value: after[0], count: after[1] });
  return { groups: found.shown, total: found.shown.length === 0 ? undefined : found.total };
}

/** Texts that are long, and dates, only stand for the value in their column; a record has it as written. */
async function groupKey(
  counted: Counted,
  { field, column }: { readonly field: string; readonly column: FieldColumn },
  value: string | number | null,
): Promise<Group["key"]> {
  if (value === null || column.kind === "integer" || column.kind === "number") return value;
  if (column.kind === "boolean") return value === 1;
  if (column.kind === "text" && !String(value).includes("\u0001")) return value;
  const data = await sampleOf(counted, column, value);
  const written = data === undefined ? undefined : (JSON.parse(data) as JsonObject)[field];
  return typeof written === "string" ? written : value;
}

/** Buckets that hold records, earliest first; records without a time come last. */
async function timeGroups(
  counted: Counted,
  { column, granularity, zone }: Extract<Grouping, { by: "time" }>,
  most: number,
  behind: Position[0] | undefined,
): Promise<Found> {
  const shown: { value: string | null; count: number }[] = [];
  let after = typeof behind === "string" ? behind : undefined;
  let from =
    behind === null
      ? undefined
      : await firstFrom(counted, column, after === undefined ? -8.64e15 : instantAfter(granularity, zone, after));
  while (from !== undefined && shown.length < most) {
    const buckets = timeBuckets(granularity, zone, from, most, after);
    const last = buckets.at(-1);
    if (last === undefined) break;
    const ranges = buckets.flatMap(({ ranges }, n) => ranges.map((range) => ({ n, lo: range.from, hi: range.to })));
    const counts = await countRanges(counted, column, ranges);
    for (const [n, { key }] of buckets.entries()) {
      const count = counts.get(n) ?? 0;
      if (count > 0 && shown.length < most) shown.push({ value: key, count });
    }
    after = last.key;
    from = await firstFrom(counted, column, instantAfter(granularity, zone, after));
  }
  if (shown.length < most && behind !== null) {
    const without = await countWithout(counted, column);
    if (without > 0) shown.push({ value: null, count: without });
  }
  return { groups: shown, total: undefined };
}
