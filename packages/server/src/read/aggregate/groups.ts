import type { Json } from "@pdpp/contract/declaration";
import type { Aggregation, Measured, Warning } from "@pdpp/contract/wire";
import { createPageLimit } from "@pdpp/evidence/sizes/page-limit";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import {
  countWithoutValue,
  findFirstFrom,
  type GroupRank,
  listGroups,
  narrowToValue,
  type RecordSet,
} from "../../store/records/aggregates.ts";
import { countRanges, narrowToRanges } from "../../store/records/ranges.ts";
import { countRecords } from "../../store/records/records.ts";
import type { ReadContext } from "../context.ts";
import { createSealer, openCursor } from "../cursor.ts";
import { type AggregateInput, createGroupsBinding, type Grouping, parseGroupLimit } from "./aggregate-input.ts";
import { chooseGroupRank, listUnitWarnings, loadOriginalValue, type Measure, measureRecords } from "./measure.ts";
import { findInstantAfter, listBuckets, type TimeBucket } from "./time-buckets.ts";

type Group = NonNullable<Aggregation["groups"]>[number];

export interface AggregateResult
  extends Partial<Pick<Aggregation, "groups" | "other_count" | "has_more" | keyof Measured>> {
  readonly total: number;
  readonly limit?: number;
  readonly next_cursor?: string | undefined;
  readonly warnings: Warning[];
}

/** The last group of a page. `seen` counts the records up to and including it. */
type Position = readonly [key: string | number | null, count: number, seen: number, rank: number];

export async function loadGroupsPage(
  context: ReadContext,
  counted: RecordSet,
  grouping: Grouping,
  measure: Measure | undefined,
  input: AggregateInput,
): Promise<AggregateResult> {
  const limit = parseGroupLimit(input);
  const binding = createGroupsBinding(counted.scope, counted.conditions, input);
  const after =
    input.cursor === undefined
      ? undefined
      : (openCursor(context.keys, binding, input.cursor, "cursor") as readonly Json[] as Position);
  // One extra shows if there are more.
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
  const total = found.total ?? (await countRecords(counted.on, counted.scope, counted.conditions));
  const sealPosition = createSealer(context.keys, binding);
  const cursorAt = (place: Position) => sealPosition([...place]);
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

interface FoundGroup {
  readonly value: string | number | null;
  readonly count: number;
  readonly rank?: number;
  readonly ranges?: TimeBucket["ranges"];
}

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
    const ranges = buckets.flatMap(({ ranges }, n) => ranges.map((range) => ({ ...range, n })));
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
