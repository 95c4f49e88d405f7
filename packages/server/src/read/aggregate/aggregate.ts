import { buildUrl } from "@pdpp/contract/address";
import { continueWith } from "@pdpp/contract/continuation";
import { type FieldAggregation, findField, type Json } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Input } from "@pdpp/contract/operations";
import type { Aggregation, Measured, Warning } from "@pdpp/contract/wire";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import { isTimeZone } from "@pdpp/evidence/text/local-time";
import {
  type Condition,
  getVisibleDeclaration,
  type ScopedConnection,
  type StreamScope,
} from "../../store/access/scope.ts";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import {
  countDistinct,
  countRanges,
  countWithoutValue,
  findFirstFrom,
  type GroupRank,
  listGroups,
  narrowToRanges,
  narrowToValue,
  type RecordSet,
} from "../../store/records/aggregates.ts";
import { countRecords } from "../../store/records/records.ts";
import { createBinding, type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { openCursor, sealCursor } from "../cursor.ts";
import { withEnvelope } from "../envelope.ts";
import { getReadableField, parseFilter } from "../records/conditions.ts";
import { explainEmpty, type RetryWithFilter } from "../records/explain-empty.ts";
import { findOneSource, findStreams, listUnavailable, type StreamsByAbility, splitByAbility } from "../scope.ts";
import {
  chooseGroupRank,
  combineParts,
  listUnitWarnings,
  loadOriginalValue,
  type Measure,
  measureParts,
  measureRecords,
  type Parts,
  summarizeParts,
} from "./measure.ts";
import { findInstantAfter, type Granularity, listBuckets, type TimeBucket } from "./time-buckets.ts";

const defaultGroups = 10;
const maxGroups = 100;

type AggregateInput = Input<"aggregate">;
type Group = NonNullable<Aggregation["groups"]>[number];

export async function aggregate(context: ReadContext, input: AggregateInput): Promise<Aggregation | TooHeavy> {
  const answer = await (input.connection_id === everyConnection ? aggregateEvery : aggregateOne)(context, input);
  return answer === tooHeavy ? tooHeavy : withEnvelope(answer);
}

async function aggregateOne(context: ReadContext, input: AggregateInput): Promise<Aggregation | TooHeavy> {
  const prepare = (stream: StreamScope) => prepareAggregate(context, stream, input);
  const scope = suggestEveryConnection(input, () =>
    findOneSource(context.scope, input.stream, input.connection_id, prepare),
  );
  const { conditions, grouping, measure } = prepare(scope);
  if (context.isLightOnly) return tooHeavy;
  const result = await context.store.engine.read(async (on) => {
    const counted: RecordSet = { on, dialect: context.store.engine.dialect, scope, conditions };
    const found = await (grouping === undefined
      ? computeNumber(counted, measure, input)
      : loadGroupsPage(context, counted, grouping, measure, input));
    if (found.total > 0 || input.cursor !== undefined) return found;
    const { max_chars: _, cursor: _cursor, ...asked } = input;
    const reasons = await explainEmpty(counted, input, (filter) => continueWith("aggregate", { ...asked, filter }));
    return { ...found, warnings: [...found.warnings, ...reasons] };
  }, "heavy");
  const { total, warnings, next_cursor: cursor, ...shown } = result;
  context.disclose({
    connectionIds: scope.connections.map(({ id }) => id),
    stream: input.stream,
    records: 0,
    versions: [],
  });
  return {
    ...buildHead(input, total),
    ...shown,
    ...(cursor === undefined ? {} : { next_cursor: cursor }),
    links: {
      self: buildUrl("aggregate", input),
      ...(shown.groups === undefined
        ? {}
        : { next: cursor === undefined ? null : buildUrl("aggregate", { ...input, cursor }) }),
    },
    meta: { warnings },
  };
}

const buildHead = (input: AggregateInput, total: number) => ({
  object: "aggregation" as const,
  stream: input.stream,
  metric: input.metric,
  field: input.field ?? null,
  filtered_record_count: total,
  approximate: false as const,
  group_by: input.group_by ?? null,
  group_by_time: input.group_by_time ?? null,
  ...(input.group_by_time === undefined ? {} : { granularity: input.granularity, time_zone: input.time_zone ?? "UTC" }),
});

/** Throws if the stream cannot answer the aggregation. */
function prepareAggregate(context: ReadContext, scope: StreamScope, input: AggregateInput) {
  const conditions = parseFilter(scope, input.filter);
  checkShape(scope, input);
  const grouping = parseGrouping(scope, input);
  const measure = parseMeasure(scope, input);
  if (input.metric === "count_distinct") findFieldColumn(scope, input.field!, "count_distinct", "field");
  if (input.cursor !== undefined)
    openCursor(context.keys, createGroupsBinding(scope, conditions, input), input.cursor, "cursor");
  return { conditions, grouping, measure };
}

function createGroupsBinding(scope: StreamScope, conditions: readonly Condition[], input: AggregateInput): Json {
  const { metric, field = null, group_by = null, group_by_time = null, granularity = null } = input;
  const { time_zone: zone = "UTC" } = input;
  return createBinding(scope, "groups", [
    metric,
    field,
    group_by,
    group_by_time,
    granularity,
    zone,
    conditions as never,
  ]);
}

const everyConnection = "*";
const maxConnections = 100;

/** Why a call cannot cover all connections, or undefined. */
function explainWhyNotEvery({ metric, group_by, group_by_time }: AggregateInput): PdppError | undefined {
  if (group_by !== undefined || group_by_time !== undefined)
    return invalidRequest(
      "groups are made in one source; name a connection_id, or leave the grouping out",
      "connection_id",
    );
  if (metric === "count_distinct")
    return invalidRequest("distinct values are counted in one source; name a connection_id", "connection_id");
  return undefined;
}

/** Adds to an ambiguity error that all connections can be asked at once, if they can. */
function suggestEveryConnection(input: AggregateInput, find: () => StreamScope): StreamScope {
  try {
    return find();
  } catch (error) {
    const isAmbiguous = error instanceof PdppError && error.code === "ambiguous_connection";
    if (!isAmbiguous || explainWhyNotEvery(input) !== undefined) throw error;
    throw new PdppError(error.code, error.message, { ...error.details, every_connection: everyConnection });
  }
}

/** Computes the number for each connection that can answer, and in total. */
async function aggregateEvery(context: ReadContext, input: AggregateInput): Promise<Aggregation | TooHeavy> {
  const refused = explainWhyNotEvery(input);
  if (refused !== undefined) throw refused;
  const { stream: name } = input;
  const prepare = (stream: StreamScope) => prepareAggregate(context, stream, input);
  const { able, unable } = splitByAbility(name, findStreams(context.scope, name), prepare);
  const sources = able.flatMap((stream) =>
    stream.connections.map((connection) => ({ scope: { ...stream, connections: [connection] }, connection })),
  );
  if (sources.length > maxConnections)
    throw invalidRequest(
      `stream ${name} is in ${sources.length} connections; at most ${maxConnections} at once`,
      "connection_id",
    );
  if (context.isLightOnly) return tooHeavy;
  const { each: found, reasons } = await context.store.engine.read(async (on) => {
    const each: ConnectionResult[] = [];
    for (const { scope, connection } of sources) {
      context.throwIfStopped();
      const { conditions, measure } = prepare(scope);
      const counted: RecordSet = { on, dialect: context.store.engine.dialect, scope, conditions };
      const total = await countRecords(on, counted.dialect, scope, conditions);
      const parts = measure === undefined ? undefined : await measureParts(counted, measure, true);
      each.push({ scope, connection, total, measure, parts });
    }
    const isEmpty = each.every(({ total }) => total === 0);
    return { each, reasons: isEmpty ? await explainEvery(context, on, each, input, prepare) : [] };
  }, "heavy");
  context.disclose({
    connectionIds: sources.map(({ connection }) => connection.id),
    stream: name,
    records: 0,
    versions: [],
  });
  const answer = buildEveryAnswer(input, found, unable);
  return { ...answer, meta: { warnings: [...reasons, ...answer.meta.warnings] } };
}

const maxExplained = 3;

/** Explains why no connection has a matching record. Equal explanations are given once. */
async function explainEvery(
  context: ReadContext,
  on: ReadTransaction,
  found: readonly ConnectionResult[],
  input: AggregateInput,
  prepare: (stream: StreamScope) => { readonly conditions: readonly Condition[] },
): Promise<Warning[]> {
  const reasons = new Map<string, Warning>();
  for (const { scope, connection } of found.slice(0, maxExplained)) {
    const counted: RecordSet = { on, dialect: context.store.engine.dialect, scope, ...prepare(scope) };
    const there = { ...input, connection_id: connection.id };
    const again: RetryWithFilter = (filter) => continueWith("aggregate", { ...there, filter });
    for (const reason of await explainEmpty(counted, there, again)) reasons.set(reason.message, reason);
  }
  return [...reasons.values()];
}

interface ConnectionResult {
  readonly scope: StreamScope;
  readonly connection: ScopedConnection;
  readonly total: number;
  /** Undefined for a count. */
  readonly measure: Measure | undefined;
  readonly parts: Parts | undefined;
}

function buildEveryAnswer(
  input: AggregateInput,
  found: readonly ConnectionResult[],
  unable: StreamsByAbility["unable"],
): Aggregation {
  const measuredIn = ({ parts, total }: ConnectionResult): Measured =>
    parts === undefined ? { value: total } : summarizeParts(parts);
  const total = found.reduce((sum, each) => sum + each.total, 0);
  const inAll: Measured =
    input.metric === "count"
      ? { value: total }
      : summarizeParts(
          combineParts(
            input.metric,
            found.flatMap(({ parts }) => parts ?? []),
          ),
        );
  const unitNotes = found.flatMap(({ measure }) => (measure === undefined ? [] : listUnitWarnings(measure, [inAll])));
  const notes = new Map(unitNotes.map((warning) => [warning.code, warning]));
  return {
    ...buildHead(input, total),
    ...inAll,
    by_connection: found.map((each) => ({
      connection_id: each.connection.id,
      connector_key: each.scope.connectorKey,
      ...(each.connection.label === undefined ? {} : { display_name: each.connection.label }),
      filtered_record_count: each.total,
      ...measuredIn(each),
    })),
    links: { self: buildUrl("aggregate", input) },
    meta: { warnings: [...notes.values(), ...listSkipped(unable)] },
  };
}

/** One warning per reason for which connections were skipped. */
function listSkipped(unable: StreamsByAbility["unable"]): Warning[] {
  const byReason = Map.groupBy(listUnavailable(unable), ({ reason }) => reason);
  return [...byReason].map(([reason, connections]) => ({
    code: "source_skipped_not_applicable" as const,
    message: `left out: ${connections.map(({ connection_id: id }) => id).join(", ")} (${reason})`,
    param: "connection_id",
  }));
}

interface Result extends Partial<Pick<Aggregation, "groups" | "other_count" | "has_more" | keyof Measured>> {
  readonly total: number;
  readonly limit?: number;
  readonly next_cursor?: string | undefined;
  readonly warnings: Warning[];
}

async function computeNumber(
  counted: RecordSet,
  measure: Measure | undefined,
  { metric, field }: AggregateInput,
): Promise<Result> {
  const { scope } = counted;
  const total = await countRecords(counted.on, counted.dialect, scope, counted.conditions);
  if (measure !== undefined) {
    const measured = await measureRecords(counted, measure);
    return { total, ...measured, warnings: listUnitWarnings(measure, [measured]) };
  }
  const value =
    metric === "count_distinct"
      ? await countDistinct(counted, findFieldColumn(scope, field!, "count_distinct", "field"))
      : total;
  return { total, value, warnings: [] };
}

/** What to sum or compare; undefined for a count. */
function parseMeasure(scope: StreamScope, { metric, field: name }: AggregateInput): Measure | undefined {
  if (name === undefined || metric === "count" || metric === "count_distinct") return undefined;
  const column = findFieldColumn(scope, name, metric, "field");
  const field = findField(getVisibleDeclaration(scope), name);
  const unit = field?.unitField;
  const unitColumn = unit === undefined ? undefined : scope.stream.columns.get(unit);
  return {
    metric,
    field: name,
    column,
    isAmount: field?.role === "amount",
    ...(unit === undefined || unitColumn === undefined ? {} : { unit: { field: unit, column: unitColumn } }),
  };
}

type Grouping =
  | { readonly by: "value"; readonly field: string; readonly column: FieldColumn }
  | { readonly by: "time"; readonly column: FieldColumn; readonly granularity: Granularity; readonly zone: string };

function parseGrouping(scope: StreamScope, input: AggregateInput): Grouping | undefined {
  const { group_by: field, group_by_time: time, granularity, time_zone: zone = "UTC" } = input;
  if (field !== undefined) return { by: "value", field, column: findFieldColumn(scope, field, "group_by", "group_by") };
  if (time === undefined || granularity === undefined) return undefined;
  return { by: "time", column: findFieldColumn(scope, time, "group_by_time", "group_by_time"), granularity, zone };
}

/** The last group of a page. `seen` counts the records up to and including it. */
type Position = readonly [key: string | number | null, count: number, seen: number, rank: number];

async function loadGroupsPage(
  context: ReadContext,
  counted: RecordSet,
  grouping: Grouping,
  measure: Measure | undefined,
  input: AggregateInput,
): Promise<Result> {
  const limit = parseGroupLimit(input);
  const binding = createGroupsBinding(counted.scope, counted.conditions, input);
  const after =
    input.cursor === undefined
      ? undefined
      : (openCursor(context.keys, binding, input.cursor, "cursor") as readonly Json[] as Position);
  // One extra tells whether there are more.
  const found =
    grouping.by === "value"
      ? await loadValueGroups(
          counted,
          grouping.column,
          limit + 1,
          after,
          measure && (await chooseGroupRank(counted, measure)),
        )
      : await loadTimeGroups(counted, grouping, limit + 1, after?.[0]);
  const total = found.total ?? (await countRecords(counted.on, counted.dialect, counted.scope, counted.conditions));
  const cursorAt = (place: Position) => sealCursor(context.keys, binding, [...place]);
  const fits = createPageLimit(input.max_chars);
  const shown: Group[] = [];
  let last = after;
  for (const { value, count, ranges, rank = 0 } of found.groups.slice(0, limit)) {
    context.throwIfStopped();
    const key = grouping.by === "time" ? value : await loadOriginalValue(counted, grouping, value);
    const members =
      ranges === undefined
        ? narrowToValue(counted, grouping.column, value)
        : narrowToRanges(counted, grouping.column, ranges);
    const group: Group = { key, count, ...(measure === undefined ? {} : await measureRecords(members, measure)) };
    const place: Position = [value, count, (last?.[2] ?? 0) + count, rank];
    const hasRoom = fits(
      () => context.measure({ kind: "group", group }),
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
    warnings: [
      ...(next !== undefined && grouping.by === "time" ? [warnOfMorePeriods(shown.length)] : []),
      ...(measure === undefined ? [] : listUnitWarnings(measure, shown)),
    ],
  };
}

/** Ten periods are easily mistaken for all of them. */
const warnOfMorePeriods = (shown: number): Warning => ({
  code: "partial_results",
  message: `these are ${shown} of the periods, in order; more follow`,
  param: "limit",
});

const invalidRequest = (message: string, param: string): PdppError =>
  new PdppError("invalid_request", message, { param });

function checkShape(scope: StreamScope, input: AggregateInput): void {
  const declaration = getVisibleDeclaration(scope);
  const grouping = input.group_by ?? input.group_by_time;
  if (declaration.query.aggregations === undefined)
    throw invalidRequest(`stream ${declaration.name} declares no aggregations`, "stream");
  if (input.group_by !== undefined && input.group_by_time !== undefined) {
    throw invalidRequest("group_by and group_by_time exclude each other; send one of them", "group_by_time");
  }
  if (grouping !== undefined && input.metric === "count_distinct")
    throw invalidRequest(
      "count, sum, min and max can be grouped; for the distinct values of one group, filter by its value and leave the grouping out",
      "metric",
    );
  if (input.metric === "count") {
    if (!declaration.countable) throw invalidRequest(`stream ${declaration.name} does not declare count`, "metric");
    if (input.field !== undefined) throw invalidRequest("the metric count counts records and takes no field", "field");
  } else if (input.field === undefined) {
    throw invalidRequest(`the metric ${input.metric} needs a field`, "field");
  }
  // An invalid limit is reported before an ambiguous connection.
  if (grouping !== undefined) parseGroupLimit(input);
  if (input.limit !== undefined && grouping === undefined)
    throw invalidRequest("limit goes with group_by or group_by_time", "limit");
  if (input.cursor !== undefined && grouping === undefined)
    throw invalidRequest("cursor goes with group_by or group_by_time", "cursor");
  if (input.max_chars !== undefined && grouping === undefined)
    throw invalidRequest("max_chars goes with group_by or group_by_time", "max_chars");
  if ((input.granularity !== undefined) !== (input.group_by_time !== undefined)) {
    throw invalidRequest("granularity goes with group_by_time, and group_by_time needs it", "granularity");
  }
  if (input.time_zone !== undefined) {
    if (input.group_by_time === undefined) throw invalidRequest("time_zone goes with group_by_time", "time_zone");
    if (!isTimeZone(input.time_zone))
      throw invalidRequest(
        `${JSON.stringify(input.time_zone)} is not an IANA time zone such as Europe/Berlin`,
        "time_zone",
      );
  }
}

function parseGroupLimit({ limit }: AggregateInput): number {
  if (limit === undefined) return defaultGroups;
  const asked = Number(limit);
  if (!Number.isInteger(asked) || asked < 1 || asked > maxGroups)
    throw invalidRequest(`limit must be a whole number from 1 to ${maxGroups}`, "limit");
  return asked;
}

function findFieldColumn(scope: StreamScope, name: string, kind: FieldAggregation, param: string): FieldColumn {
  const field = getReadableField(scope, name, param);
  const column = scope.stream.columns.get(name);
  if (!field.aggregations.includes(kind) || column === undefined) {
    const can = getVisibleDeclaration(scope)
      .fields.filter((f) => f.aggregations.includes(kind))
      .map((f) => f.name);
    throw invalidRequest(`${kind} is not declared for field ${name}; declared for: ${can.join(", ") || "none"}`, param);
  }
  return column;
}

interface FoundGroup {
  readonly value: string | number | null;
  readonly count: number;
  readonly rank?: number;
  /** The time ranges of a period. */
  readonly ranges?: TimeBucket["ranges"];
}

/** `total` is undefined if the store did not compute it. */
interface Found {
  readonly groups: readonly FoundGroup[];
  readonly total: number | undefined;
}

async function loadValueGroups(
  counted: RecordSet,
  column: FieldColumn,
  most: number,
  after: Position | undefined,
  rank: GroupRank | undefined,
): Promise<Found> {
  const position = after && { value: after[0], count: after[1], rank: after[3] };
  const found = await listGroups(counted, column, most, position, rank);
  return { groups: found.shown, total: found.shown.length === 0 ? undefined : found.total };
}

/** Nonempty buckets, earliest first. Records without a time come last. */
async function loadTimeGroups(
  counted: RecordSet,
  { column, granularity, zone }: Extract<Grouping, { by: "time" }>,
  most: number,
  behind: Position[0] | undefined,
): Promise<Found> {
  const shown: FoundGroup[] = [];
  let after = typeof behind === "string" ? behind : undefined;
  let from =
    behind === null
      ? undefined
      : await findFirstFrom(
          counted,
          column,
          after === undefined ? -8.64e15 : findInstantAfter(granularity, zone, after),
        );
  while (from !== undefined && shown.length < most) {
    const buckets = listBuckets(granularity, zone, from, most, after);
    const last = buckets.at(-1);
    if (last === undefined) break;
    const ranges = buckets.flatMap(({ ranges }, n) => ranges.map((range) => ({ n, lo: range.from, hi: range.to })));
    const counts = await countRanges(counted, column, ranges);
    for (const [n, { key, ranges }] of buckets.entries()) {
      const count = counts.get(n) ?? 0;
      if (count > 0 && shown.length < most) shown.push({ value: key, count, ranges });
    }
    after = last.key;
    from = await findFirstFrom(counted, column, findInstantAfter(granularity, zone, after));
  }
  if (shown.length < most && behind !== null) {
    const without = await countWithoutValue(counted, column);
    if (without > 0) shown.push({ value: null, count: without });
  }
  return { groups: shown, total: undefined };
}
