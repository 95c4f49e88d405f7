import type { Dialect, Reading } from "./engine.ts";
import type { FieldColumn } from "./layout.ts";
import { type Condition, ofConnections, type StreamScope, table, visible } from "./scope.ts";
import { all, raw, type Sql, sql } from "./sql.ts";

/** Numbers over the records a scope lets through. Everything is counted by the engine, from indexes. */

export interface Counted {
  readonly on: Reading;
  readonly dialect: Dialect;
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
}

const where = ({ dialect, scope, conditions }: Counted, ...more: Sql[]): Sql =>
  all([ofConnections(scope), ...visible(scope, conditions, dialect), ...more]);

/** The data of the record with the smallest or the largest value of a field. */
export async function extreme(counted: Counted, field: FieldColumn, end: "min" | "max"): Promise<string | undefined> {
  const column = raw(field.column);
  const way = raw(end === "min" ? "ASC" : "DESC");
  const row = await counted.on.one<{ data: string }>(sql`SELECT data FROM ${table(counted.scope)}
    WHERE ${where(counted, sql`${column} IS NOT NULL`)} ORDER BY ${column} ${way}, key ASC LIMIT 1`);
  return row?.data;
}

export async function extent(counted: Counted, field: FieldColumn): Promise<{ min: number; max: number } | undefined> {
  const column = raw(field.column);
  const row = await counted.on.one<{ lo: number | null; hi: number | null }>(
    sql`SELECT min(${column}) AS lo, max(${column}) AS hi FROM ${table(counted.scope)} WHERE ${where(counted)}`,
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
      count(CASE WHEN ${units} / 1000000.0 <> ${column} THEN 1 END) AS inexact
      FROM ${table(counted.scope)} WHERE ${where(counted)}`,
  );
  if (row === undefined || row.n === 0 || row.lo === null || row.hi === null) return null;
  const largest = Math.max(Math.abs(row.lo), Math.abs(row.hi)) * micro;
  if (row.inexact !== 0 || largest * row.n > safeMicro) return sumOfValues(counted, column);
  const total = await counted.on.one<{ units: string }>(
    sql`SELECT CAST(sum(${counted.dialect.exactInteger(units)}) AS text) AS units FROM ${table(counted.scope)} WHERE ${where(counted)}`,
  );
  return fromMillionths(BigInt((total?.units ?? "0").split(".")[0]!));
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
      FROM ${table(counted.scope)} WHERE ${where(counted, ...beyond)} GROUP BY ${column} ORDER BY ${column} LIMIT ${sumPage}`);
    for (const { value, n } of rows) {
      const term = value * n;
      const next = total + term;
      lost += Math.abs(total) >= Math.abs(term) ? total - next + term : term - next + total;
      total = next;
    }
    if (rows.length < sumPage) return total + lost;
    after = rows.at(-1)!.value;
  }
}

export interface Group {
  /** What stands in the column. */
  readonly value: string | number | null;
  readonly count: number;
}

/** The largest groups; equal ones by value, records without a value last. */
export async function groups(counted: Counted, field: FieldColumn, limit: number): Promise<Group[]> {
  const column = raw(field.column);
  return counted.on.all<{ value: never; count: number }>(sql`SELECT value, n AS count FROM
    (SELECT ${column} AS value, count(*) AS n FROM ${table(counted.scope)} WHERE ${where(counted)} GROUP BY ${column}) AS g
    ORDER BY n DESC, CASE WHEN value IS NULL THEN 1 ELSE 0 END, value LIMIT ${limit}`);
}

/** The data of one record that has this value in this column. */
export async function sampleOf(counted: Counted, field: FieldColumn, value: string | number): Promise<string | undefined> {
  const row = await counted.on.one<{ data: string }>(sql`SELECT data FROM ${table(counted.scope)}
    WHERE ${where(counted, sql`${raw(field.column)} = ${value}`)} ORDER BY key LIMIT 1`);
  return row?.data;
}

/** How many records fall into the ranges of each number. */
export async function countRanges(
  counted: Counted,
  field: FieldColumn,
  ranges: readonly { n: number; lo: number; hi: number }[],
): Promise<Map<number, number>> {
  const column = raw(field.column);
  const rows = await counted.on.all<{ n: number; count: number }>(sql`SELECT b.n AS n, (SELECT count(*) FROM ${table(counted.scope)}
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
  const row = await counted.on.one<{ value: number | null }>(
    sql`SELECT min(${column}) AS value FROM ${table(counted.scope)} WHERE ${where(counted, sql`${column} >= ${from}`)}`,
  );
  return row?.value ?? undefined;
}
