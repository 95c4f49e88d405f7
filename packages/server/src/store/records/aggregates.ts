import { type Condition, ofConnection, ofConnections, type StreamScope, table, visible } from "../access/scope.ts";
import { type FieldColumn, sortColumn } from "../catalog/layout.ts";
import type { Dialect, Reading } from "../engine/engine.ts";
import { all, atMost, raw, type Sql, sql, unionAll } from "../engine/sql.ts";

/** Numbers over the records a scope lets through. Everything is counted by the engine, from indexes. */

export interface Counted {
  readonly on: Reading;
  readonly dialect: Dialect;
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
}

const where = ({ dialect, scope, conditions }: Counted, ...more: Sql[]): Sql =>
  all([ofConnections(scope), ...visible(scope, conditions, dialect), ...more]);

/** The same question asked of each connection by itself: only then does an index answer in the order of its values. */
const inEach = ({ dialect, scope, conditions }: Counted, ask: (where: Sql, rank: Sql) => Sql): Sql =>
  unionAll(
    scope.connections.map((connection, rank) =>
      ask(all([ofConnection(scope, connection), ...visible(scope, conditions, dialect)]), raw(String(rank))),
    ),
  );

/** The data of the record with the smallest or the largest value of a field. */
export async function extreme(counted: Counted, field: FieldColumn, end: "min" | "max"): Promise<string | undefined> {
  const column = raw(field.column);
  const way = raw(end === "min" ? "ASC" : "DESC");
  const ends = inEach(
    counted,
    (here, rank) => sql`SELECT ${column} AS value, key, ${rank} AS rank, data FROM ${table(counted.scope)}
      WHERE ${here} AND ${column} IS NOT NULL ORDER BY ${column} ${way}, key ASC LIMIT 1`,
  );
  const row = await counted.on.one<{ data: string }>(
    sql`SELECT data FROM (${ends}) AS ends ORDER BY value ${way}, key ASC, rank LIMIT 1`,
  );
  return row?.data;
}

export async function extent(counted: Counted, field: FieldColumn): Promise<{ min: number; max: number } | undefined> {
  const column = raw(field.column);
  const of = (end: "min" | "max", here: Sql) =>
    sql`(SELECT ${raw(end)}(${column}) FROM ${table(counted.scope)} WHERE ${here})`;
  const ends = inEach(counted, (here) => sql`SELECT ${of("min", here)} AS lo, ${of("max", here)} AS hi`);
  const row = await counted.on.one<{ lo: number | null; hi: number | null }>(
    sql`SELECT min(lo) AS lo, max(hi) AS hi FROM (${ends}) AS ends`,
  );
  return row === undefined || row.lo === null || row.hi === null ? undefined : { min: row.lo, max: row.hi };
}

export async function countDistinct(counted: Counted, field: FieldColumn): Promise<number> {
  const row = await counted.on.one<{ n: number }>(
    sql`SELECT count(DISTINCT ${raw(field.column)}) AS n FROM ${table(counted.scope)} WHERE ${where(counted)}`,
  );
  return row?.n ?? 0;
}

const micro = 1_000_000;
const safeMicro = 9e18;
const sumPage = 10_000;

/**
 * The sum as a person adds: decimals exactly, and the same on every engine. Values with at most six decimals are summed as whole
 * millionths; others, or sums too large for that, are added up value by value.
 */
export async function sum(counted: Counted, field: FieldColumn): Promise<number | null> {
  const column = raw(field.column);
  const units = sql`round(${column} * ${raw("1000000.0")})`;
  const row = await counted.on.one<{ n: number; inexact: number | null; lo: number | null; hi: number | null }>(
    sql`SELECT count(${column}) AS n, min(${column}) AS lo, max(${column}) AS hi,
      count(CASE WHEN abs(${column}) > 9e12 THEN 1 WHEN ${units} / 1000000.0 <> ${column} THEN 1 END) AS inexact
      FROM ${table(counted.scope)} WHERE ${where(counted, sql`${column} IS NOT NULL`)}`,
  );
  if (row === undefined || row.n === 0 || row.lo === null || row.hi === null) return null;
  const largest = Math.max(Math.abs(row.lo), Math.abs(row.hi)) * micro;
  if (row.inexact !== 0 || largest * row.n > safeMicro) return sumOfValues(counted, column);
  const total = await counted.on.one<{ units: string }>(
    sql`SELECT CAST(sum(${counted.dialect.exactInteger(units)}) AS text) AS units FROM ${table(counted.scope)}
      WHERE ${where(counted, sql`${column} IS NOT NULL`)}`,
  );
  return fromMillionths(BigInt((total?.units ?? "0").split(".")[0] ?? "0"));
}

function fromMillionths(units: bigint): number {
  const digits = (units < 0n ? -units : units).toString().padStart(7, "0");
  return Number(`${units < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`);
}

/** Compensated addition in the order of the values, a page of distinct values at a time. */
async function sumOfValues(counted: Counted, column: Sql): Promise<number> {
  let total = 0;
  let lost = 0;
  let after: number | undefined;
  for (;;) {
    const beyond: Sql[] = after === undefined ? [sql`${column} IS NOT NULL`] : [sql`${column} > ${after}`];
    const rows = await counted.on.all<{ value: number; n: number }>(sql`SELECT ${column} AS value, count(*) AS n
      FROM ${table(counted.scope)} WHERE ${where(counted, ...beyond)} GROUP BY ${column} ORDER BY ${column} ${atMost(sumPage)}`);
    for (const { value, n } of rows) {
      const term = value * n;
      const next = total + term;
      lost += Math.abs(total) >= Math.abs(term) ? total - next + term : term - next + total;
      total = next;
    }
    if (rows.length < sumPage) return total + lost;
    after = rows.at(-1)?.value;
  }
}

export interface Group {
  /** What stands in the column. */
  readonly value: string | number | null;
  readonly count: number;
}

/** Whether the conditions ask for more than stands in the field's own index: the field, and the sort column behind it. */
function foundElsewhere({ scope, conditions }: Counted, field: FieldColumn): boolean {
  const { declaration, columns } = scope.stream;
  const covered = [field.column, sortColumn(declaration, columns)?.column];
  const asked = conditions.map(({ column }) => column.column);
  if (scope.time !== undefined) asked.push(columns.get(scope.time.field)?.column ?? "");
  return scope.resources !== undefined || asked.some((column) => !covered.includes(column));
}

/** The last group of a page; the next page begins behind it. */
export type GroupPosition = Pick<Group, "value" | "count">;

/** The largest groups, with how many records are in all of them; equal ones by value, records without a value last. */
export async function groups(
  counted: Counted,
  field: FieldColumn,
  limit: number,
  after?: GroupPosition,
): Promise<{ shown: Group[]; total: number }> {
  const column = foundElsewhere(counted, field) ? counted.dialect.unindexed(raw(field.column)) : raw(field.column);
  const integer = raw(counted.dialect.types.integer);
  const shown = await counted.on.all<{ value: never; count: number; total: number }>(sql`SELECT value, n AS count, total
    FROM (SELECT value, n, CAST(sum(n) OVER () AS ${integer}) AS total FROM
    (SELECT ${column} AS value, count(*) AS n FROM ${table(counted.scope)} WHERE ${where(counted)} GROUP BY ${column}) AS g) AS all_groups
    WHERE ${behind(after)}
    ORDER BY n DESC, CASE WHEN value IS NULL THEN 1 ELSE 0 END, value ${atMost(limit)}`);
  return { shown, total: shown[0]?.total ?? 0 };
}

function behind(after: GroupPosition | undefined): Sql {
  if (after === undefined) return sql`1 = 1`;
  const { value, count } = after;
  return value === null
    ? sql`n < ${count}`
    : sql`(n < ${count} OR (n = ${count} AND (value > ${value} OR value IS NULL)))`;
}

/** The values of one field in the records that have another, most frequent first. */
export function valuesBeside(counted: Counted, field: FieldColumn, held: FieldColumn, limit: number): Promise<Group[]> {
  const column = raw(field.column);
  return counted.on.all<Group>(sql`SELECT ${column} AS value, count(*) AS count FROM ${table(counted.scope)}
    WHERE ${where(counted, sql`${raw(held.column)} IS NOT NULL`)} GROUP BY ${column}
    ORDER BY 2 DESC, CASE WHEN ${column} IS NULL THEN 1 ELSE 0 END, ${column} ${atMost(limit)}`);
}

/** Whether there is any such record. */
export async function hasRecords(counted: Counted): Promise<boolean> {
  const first = inEach(counted, (here) => sql`SELECT 1 AS n FROM ${table(counted.scope)} WHERE ${here} LIMIT 1`);
  return (await counted.on.one(sql`SELECT n FROM (${first}) AS firsts LIMIT 1`)) !== undefined;
}

/** Where a grant is limited, values are taken from so many of the records that it shows. */
const recordsLookedAt = 1000;

/**
 * Some values of a text column, at most so many of each connection, in their order. Under a grant without limits every value is one step in the
 * column's index. Otherwise they are those of the records that the limit itself leads to, so that hidden records neither cost nor change
 * anything.
 */
export async function someValues(counted: Counted, field: FieldColumn, limit: number): Promise<string[]> {
  const { scope, on } = counted;
  const column = raw(field.column);
  const values = new Set<string>();
  for (const connection of scope.connections) {
    const here = ofConnection(scope, connection);
    const rows = await on.all<{ value: string }>(
      scope.time === undefined && scope.resources === undefined
        ? sql`WITH RECURSIVE steps(value, n) AS (
            SELECT (SELECT min(${column}) FROM ${table(scope)} WHERE ${here}), 1
            UNION ALL
            SELECT (SELECT min(${column}) FROM ${table(scope)} WHERE ${here} AND ${column} > steps.value), n + 1
              FROM steps WHERE value IS NOT NULL AND n < ${raw(String(limit))})
          SELECT value FROM steps WHERE value IS NOT NULL`
        : sql`SELECT DISTINCT value FROM (SELECT ${column} AS value FROM ${table(scope)}
            WHERE ${all([here, ...visible(scope, [], counted.dialect)])}
            ORDER BY ${raw(limitColumn(scope))} DESC ${atMost(recordsLookedAt)}) AS shown
            WHERE value IS NOT NULL ORDER BY value ${atMost(limit)}`,
    );
    for (const { value } of rows) values.add(value);
  }
  return [...values];
}

/** The column by which a grant limits the records: its index has them together. */
const limitColumn = ({ time, stream }: StreamScope): string =>
  (time === undefined ? undefined : stream.columns.get(time.field)?.column) ?? "key";

/** The data of one record that has this value in this column. */
export async function sampleOf(
  counted: Counted,
  field: FieldColumn,
  value: string | number,
): Promise<string | undefined> {
  const samples = inEach(
    counted,
    (here, rank) => sql`SELECT key, ${rank} AS rank, data FROM ${table(counted.scope)}
      WHERE ${here} AND ${raw(field.column)} = ${value} ORDER BY key LIMIT 1`,
  );
  const row = await counted.on.one<{ data: string }>(
    sql`SELECT data FROM (${samples}) AS samples ORDER BY key, rank LIMIT 1`,
  );
  return row?.data;
}

/** How many records fall into the ranges of each number. */
export async function countRanges(
  counted: Counted,
  field: FieldColumn,
  ranges: readonly { n: number; lo: number; hi: number }[],
): Promise<Map<number, number>> {
  const column = raw(field.column);
  const rows = await counted.on.all<{
    n: number;
    count: number;
  }>(sql`SELECT b.n AS n, (SELECT count(*) FROM ${table(counted.scope)}
    WHERE ${where(counted, sql`${column} >= b.lo`, sql`${column} < b.hi`)}) AS count FROM ${counted.dialect.ranges(ranges)}`);
  const counts = new Map<number, number>();
  for (const { n, count } of rows) counts.set(n, (counts.get(n) ?? 0) + count);
  return counts;
}

export async function countWithout(counted: Counted, field: FieldColumn): Promise<number> {
  const row = await counted.on.one<{ n: number }>(
    sql`SELECT count(*) AS n FROM ${table(counted.scope)} WHERE ${where(counted, sql`${raw(field.column)} IS NULL`)}`,
  );
  return row?.n ?? 0;
}

/** The first value at or after an instant. */
export async function firstFrom(counted: Counted, field: FieldColumn, from: number): Promise<number | undefined> {
  const column = raw(field.column);
  const first = inEach(
    counted,
    (here) => sql`SELECT min(${column}) AS value FROM ${table(counted.scope)} WHERE ${here} AND ${column} >= ${from}`,
  );
  const row = await counted.on.one<{ value: number | null }>(sql`SELECT min(value) AS value FROM (${first}) AS firsts`);
  return row?.value ?? undefined;
}
