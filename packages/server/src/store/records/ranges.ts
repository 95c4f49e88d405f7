import type { Condition } from "../access/scope.ts";
import { table } from "../access/scope.ts";
import type { FieldColumn } from "../catalog/layout.ts";
import { join, raw, type Sql, sql } from "../engine/sql.ts";
import { buildWhere, type RecordSet } from "./aggregates.ts";

/** Records whose time is in one of several ranges. */

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts ranges at the conditions on the same column, and drops these conditions. With both, an engine may look up each range by the
 * condition and read everything that fulfils it.
 */
function cutRanges<T extends Range>(set: RecordSet, { column }: FieldColumn, ranges: readonly T[]): [RecordSet, T[]] {
  const isBound = (condition: Condition): boolean =>
    condition.column.column === column &&
    typeof condition.value === "number" &&
    (condition.operator === "gte" || condition.operator === "lt");
  const bounds = set.conditions.filter(isBound);
  const listBounds = (operator: Condition["operator"]): number[] =>
    bounds.flatMap((each) => (each.operator === operator ? [Number(each.value)] : []));
  const [earliest, latest] = [Math.max(...listBounds("gte")), Math.min(...listBounds("lt"))];
  const cut = ranges.map((range) => ({
    ...range,
    from: Math.max(range.from, earliest),
    to: Math.min(range.to, latest),
  }));
  return [
    { ...set, conditions: set.conditions.filter((each) => !isBound(each)) },
    cut.filter(({ from, to }) => from < to),
  ];
}

export function narrowToRanges(asked: RecordSet, field: FieldColumn, wanted: readonly Range[]): RecordSet {
  const [set, ranges] = cutRanges(asked, field, wanted);
  const column = raw(field.column);
  const within = ranges.map(({ from, to }): Sql => sql`(${column} >= ${from} AND ${column} < ${to})`);
  const [only = sql`1 = 0`] = within;
  return { ...set, part: [...(set.part ?? []), within.length > 1 ? sql`(${join(within, " OR ")})` : only] };
}

/** The number of records in the ranges of each number. */
export async function countRanges(
  asked: RecordSet,
  field: FieldColumn,
  wanted: readonly (Range & { readonly n: number })[],
): Promise<Map<number, number>> {
  const [set, ranges] = cutRanges(asked, field, wanted);
  const counts = new Map<number, number>();
  if (ranges.length === 0) return counts;
  const column = raw(field.column);
  const rows = await set.on.all<{
    n: number;
    count: number;
  }>(sql`SELECT b.n AS n, (SELECT count(*) FROM ${table(set.scope)}
    WHERE ${buildWhere(set, sql`${column} >= b.lo`, sql`${column} < b.hi`)}) AS count
    FROM ${set.on.dialect.ranges(ranges.map(({ n, from, to }) => ({ n, lo: from, hi: to })))}`);
  for (const { n, count } of rows) counts.set(n, (counts.get(n) ?? 0) + count);
  return counts;
}
