import {
  type Condition,
  matchConnection,
  matchConnections,
  matchVisible,
  type StreamScope,
  table,
} from "../access/scope.ts";
import { type FieldColumn, getSortColumn } from "../catalog/layout.ts";
import { type ReadTransaction, requireRow, selectNumber } from "../engine/engine.ts";
import { joinAnd, limitRows, raw, type Sql, sql, unionAll } from "../engine/sql.ts";

export interface RecordSet {
  readonly on: ReadTransaction;
  readonly scope: StreamScope;
  readonly conditions: readonly Condition[];
  /** Restricts the set to a group, or to a unit. */
  readonly part?: readonly Sql[];
}

/** The records with this value in a column; null means no value. */
export const narrowToValue = (set: RecordSet, { column }: FieldColumn, value: string | number | null): RecordSet => ({
  ...set,
  part: [...(set.part ?? []), value === null ? sql`${raw(column)} IS NULL` : sql`${raw(column)} = ${value}`],
});

export const buildWhere = ({ on, scope, conditions, part = [] }: RecordSet, ...more: Sql[]): Sql =>
  joinAnd([matchConnections(scope), ...matchVisible(scope, conditions, on.dialect), ...part, ...more]);

/** Runs the query for each connection separately: only then does an index return values in order. */
const unionConnections = ({ on, scope, conditions, part = [] }: RecordSet, ask: (where: Sql, rank: Sql) => Sql): Sql =>
  unionAll(
    scope.connections.map((connection, rank) =>
      ask(
        joinAnd([matchConnection(scope, connection), ...matchVisible(scope, conditions, on.dialect), ...part]),
        raw(String(rank)),
      ),
    ),
  );

export async function findExtremeRecord(
  set: RecordSet,
  field: FieldColumn,
  end: "min" | "max",
): Promise<string | undefined> {
  const column = raw(field.column);
  const way = raw(end === "min" ? "ASC" : "DESC");
  const ends = unionConnections(
    set,
    (here, rank) => sql`SELECT ${column} AS value, key, ${rank} AS rank, data FROM ${table(set.scope)}
      WHERE ${here} AND ${column} IS NOT NULL ORDER BY ${column} ${way}, key ASC LIMIT 1`,
  );
  const row = await set.on.one<{ data: string }>(
    sql`SELECT data FROM (${ends}) AS ends ORDER BY value ${way}, key ASC, rank LIMIT 1`,
  );
  return row?.data;
}

export async function findExtent(
  set: RecordSet,
  field: FieldColumn,
): Promise<{ min: number; max: number } | undefined> {
  const column = raw(field.column);
  const selectEnd = (end: "min" | "max", here: Sql) =>
    sql`(SELECT ${raw(end)}(${column}) FROM ${table(set.scope)} WHERE ${here})`;
  const ends = unionConnections(
    set,
    (here) => sql`SELECT ${selectEnd("min", here)} AS lo, ${selectEnd("max", here)} AS hi`,
  );
  const row = await set.on.one<{ lo: number | null; hi: number | null }>(
    sql`SELECT min(lo) AS lo, max(hi) AS hi FROM (${ends}) AS ends`,
  );
  return row === undefined || row.lo === null || row.hi === null ? undefined : { min: row.lo, max: row.hi };
}

export async function countDistinct(set: RecordSet, field: FieldColumn): Promise<number> {
  return selectNumber(
    set.on,
    sql`SELECT count(DISTINCT ${raw(field.column)}) AS n FROM ${table(set.scope)} WHERE ${buildWhere(set)}`,
  );
}

const micro = 1_000_000;
const safeMicro = 9e18;
const sumPageSize = 10_000;

/**
 * An exact decimal sum that is the same on every engine. Values with at most six decimals are summed as integers of millionths;
 * other values, and sums too large for that, are added one by one.
 */
export async function sumField(set: RecordSet, field: FieldColumn): Promise<number | null> {
  const column = raw(field.column);
  const units = sql`round(${column} * ${raw("1000000.0")})`;
  const row = await set.on.one<{ n: number; inexact: number | null; lo: number | null; hi: number | null }>(
    sql`SELECT count(${column}) AS n, min(${column}) AS lo, max(${column}) AS hi,
      count(CASE WHEN abs(${column}) > 9e12 THEN 1 WHEN ${units} / 1000000.0 <> ${column} THEN 1 END) AS inexact
      FROM ${table(set.scope)} WHERE ${buildWhere(set, sql`${column} IS NOT NULL`)}`,
  );
  if (row === undefined || row.n === 0 || row.lo === null || row.hi === null) return null;
  const largest = Math.max(Math.abs(row.lo), Math.abs(row.hi)) * micro;
  if (row.inexact !== 0 || largest * row.n > safeMicro) return sumByValue(set, column);
  const { units: total } = await requireRow<{ units: string }>(
    set.on,
    sql`SELECT CAST(sum(${set.on.dialect.castToInteger(units)}) AS text) AS units FROM ${table(set.scope)}
      WHERE ${buildWhere(set, sql`${column} IS NOT NULL`)}`,
  );
  return fromMillionths(BigInt(total.replace(/\..*/, "")));
}

export function fromMillionths(units: bigint): number {
  const digits = (units < 0n ? -units : units).toString().padStart(7, "0");
  return Number(`${units < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`);
}

/** Compensated summation in the order of values, a page of distinct values at a time. */
async function sumByValue(set: RecordSet, column: Sql): Promise<number> {
  let total = 0;
  let lost = 0;
  let after: number | undefined;
  for (;;) {
    const beyond: Sql[] = after === undefined ? [sql`${column} IS NOT NULL`] : [sql`${column} > ${after}`];
    const rows = await set.on.all<{ value: number; n: number }>(sql`SELECT ${column} AS value, count(*) AS n
      FROM ${table(set.scope)} WHERE ${buildWhere(set, ...beyond)} GROUP BY ${column} ORDER BY ${column} ${limitRows(sumPageSize)}`);
    for (const { value, n } of rows) {
      const term = value * n;
      const next = total + term;
      lost += Math.abs(total) >= Math.abs(term) ? total - next + term : term - next + total;
      total = next;
    }
    if (rows.length < sumPageSize) return total + lost;
    after = rows.at(-1)?.value;
  }
}

export interface Group {
  readonly value: string | number | null;
  readonly count: number;
}

/** Whether the conditions need more than the field's own index, which has the field and the sort column. */
function needsOtherIndex({ scope, conditions }: RecordSet, field: FieldColumn): boolean {
  const { declaration, columns } = scope.stream;
  const covered = [field.column, getSortColumn(declaration, columns)?.column];
  const asked = conditions.map(({ column }) => column.column);
  if (scope.time !== undefined) asked.push(columns.get(scope.time.field)?.column ?? "");
  return scope.resources !== undefined || asked.some((column) => !covered.includes(column));
}

export interface GroupPosition extends Pick<Group, "value" | "count"> {
  readonly rank: number;
}

/** Orders groups by a number over their records instead of by their size. */
export interface GroupRank {
  readonly metric: "sum" | "min" | "max";
  readonly column: FieldColumn;
  /** Only records in this unit count: different units are not comparable. */
  readonly unit?: { readonly column: FieldColumn; readonly value: string | number | null };
}

/** Below every number: groups without one come last. */
const lowestRank = -1e300;

/**
 * The rank of a group. Sums are of hundredths, rounded down and bounded, which doubles add exactly. So the engines agree, and
 * cursors stay valid.
 */
function buildRank({ on }: RecordSet, { metric, column, unit }: GroupRank): Sql {
  const number = sql`CAST(${raw(column.column)} AS ${raw(on.dialect.types.number)})`;
  const inUnit =
    unit === undefined
      ? number
      : sql`CASE WHEN ${raw(unit.column.column)} ${unit.value === null ? sql`IS NULL` : sql`= ${unit.value}`} THEN ${number} END`;
  if (metric === "max") return sql`max(${inUnit})`;
  if (metric === "min") return sql`-min(${inUnit})`;
  return sql`sum(CASE WHEN abs(${inUnit}) > 9e11 THEN CASE WHEN ${inUnit} > 0 THEN 9e13 ELSE -9e13 END ELSE floor(${inUnit} * 100.0) END)`;
}

/**
 * The first groups by rank, or by number of records, and the number of records in all groups. Ties are broken by value; records
 * without a value come last.
 */
export async function listGroups(
  set: RecordSet,
  field: FieldColumn,
  limit: number,
  after?: GroupPosition,
  rank?: GroupRank,
): Promise<{ shown: (Group & { readonly rank: number })[]; total: number }> {
  const isScattered = needsOtherIndex(set, field);
  const column = isScattered ? set.on.dialect.withoutIndex(raw(field.column)) : raw(field.column);
  const { integer, number } = set.on.dialect.types;
  const ranked = rank === undefined ? sql`0` : sql`COALESCE(${buildRank(set, rank)}, ${raw(String(lowestRank))})`;
  const selectGroups = (
    where: Sql,
  ) => sql`SELECT ${column} AS value, count(*) AS n, CAST(${ranked} AS ${raw(number)}) AS rank
    FROM ${table(set.scope)} WHERE ${where} GROUP BY ${column}`;
  // Each connection's index has the values in order, so that only the groups of connections are added up, not their records.
  const groups =
    rank === undefined && !isScattered && set.scope.connections.length > 1
      ? sql`SELECT value, CAST(sum(n) AS ${raw(integer)}) AS n, max(rank) AS rank
          FROM (${unionConnections(set, selectGroups)}) AS of_connections GROUP BY value`
      : selectGroups(buildWhere(set));
  const shown = await set.on.all<{ value: never; count: number; rank: number; total: number }>(sql`SELECT value,
    n AS count, rank, total FROM (SELECT value, n, rank, CAST(sum(n) OVER () AS ${raw(integer)}) AS total FROM (${groups}) AS g) AS all_groups
    WHERE ${matchAfter(after)}
    ORDER BY rank DESC, n DESC, CASE WHEN value IS NULL THEN 1 ELSE 0 END, value ${limitRows(limit)}`);
  return { shown, total: shown[0]?.total ?? 0 };
}

function matchAfter(after: GroupPosition | undefined): Sql {
  if (after === undefined) return sql`1 = 1`;
  const { value, count, rank } = after;
  const later =
    value === null ? sql`n < ${count}` : sql`(n < ${count} OR (n = ${count} AND (value > ${value} OR value IS NULL)))`;
  return sql`(rank < ${rank} OR (rank = ${rank} AND ${later}))`;
}

export function listValuesAlongside(
  set: RecordSet,
  field: FieldColumn,
  held: FieldColumn,
  limit: number,
): Promise<Group[]> {
  const column = raw(field.column);
  return set.on.all<Group>(sql`SELECT ${column} AS value, count(*) AS count FROM ${table(set.scope)}
    WHERE ${buildWhere(set, sql`${raw(held.column)} IS NOT NULL`)} GROUP BY ${column}
    ORDER BY 2 DESC, CASE WHEN ${column} IS NULL THEN 1 ELSE 0 END, ${column} ${limitRows(limit)}`);
}

export async function hasRecords(set: RecordSet): Promise<boolean> {
  const first = unionConnections(set, (here) => sql`SELECT 1 AS n FROM ${table(set.scope)} WHERE ${here} LIMIT 1`);
  return (await set.on.one(sql`SELECT n FROM (${first}) AS firsts LIMIT 1`)) !== undefined;
}

/** Under a limited grant, values come from at most this many visible records. */
const maxSampledRecords = 1000;

/**
 * Some values of a text column, in order, with a limit per connection. Under an unlimited grant each value is one step in the
 * column's index. Otherwise values come from the records that the limit selects, so that hidden records affect neither cost nor
 * result.
 */
export async function sampleValues(set: RecordSet, field: FieldColumn, limit: number): Promise<string[]> {
  const { scope, on } = set;
  const column = raw(field.column);
  const values = new Set<string>();
  for (const connection of scope.connections) {
    const here = matchConnection(scope, connection);
    const rows = await on.all<{ value: string }>(
      scope.time === undefined && scope.resources === undefined
        ? sql`WITH RECURSIVE steps(value, n) AS (
            SELECT (SELECT min(${column}) FROM ${table(scope)} WHERE ${here}), 1
            UNION ALL
            SELECT (SELECT min(${column}) FROM ${table(scope)} WHERE ${here} AND ${column} > steps.value), n + 1
              FROM steps WHERE value IS NOT NULL AND n < ${raw(String(limit))})
          SELECT value FROM steps WHERE value IS NOT NULL`
        : sql`SELECT DISTINCT value FROM (SELECT ${column} AS value FROM ${table(scope)}
            WHERE ${joinAnd([here, ...matchVisible(scope, [], set.on.dialect)])}
            ORDER BY ${raw(getLimitColumn(scope))} DESC ${limitRows(maxSampledRecords)}) AS shown
            WHERE value IS NOT NULL ORDER BY value ${limitRows(limit)}`,
    );
    for (const { value } of rows) values.add(value);
  }
  return [...values];
}

/** The column that limits the grant: its index has the visible records together. */
const getLimitColumn = ({ time, stream }: StreamScope): string =>
  (time === undefined ? undefined : stream.columns.get(time.field)?.column) ?? "key";

export async function countWithValue(set: RecordSet, field: FieldColumn): Promise<number> {
  return selectNumber(
    set.on,
    sql`SELECT count(${raw(field.column)}) AS n FROM ${table(set.scope)} WHERE ${buildWhere(set)}`,
  );
}

export async function findSampleRecord(
  set: RecordSet,
  field: FieldColumn,
  value: string | number,
): Promise<string | undefined> {
  const samples = unionConnections(
    set,
    (here, rank) => sql`SELECT key, ${rank} AS rank, data FROM ${table(set.scope)}
      WHERE ${here} AND ${raw(field.column)} = ${value} ORDER BY key LIMIT 1`,
  );
  const row = await set.on.one<{ data: string }>(
    sql`SELECT data FROM (${samples}) AS samples ORDER BY key, rank LIMIT 1`,
  );
  return row?.data;
}

export async function countWithoutValue(set: RecordSet, field: FieldColumn): Promise<number> {
  return selectNumber(
    set.on,
    sql`SELECT count(*) AS n FROM ${table(set.scope)} WHERE ${buildWhere(set, sql`${raw(field.column)} IS NULL`)}`,
  );
}

export async function findFirstFrom(set: RecordSet, field: FieldColumn, from: number): Promise<number | undefined> {
  const column = raw(field.column);
  const first = unionConnections(
    set,
    (here) => sql`SELECT min(${column}) AS value FROM ${table(set.scope)} WHERE ${here} AND ${column} >= ${from}`,
  );
  const row = await set.on.one<{ value: number | null }>(sql`SELECT min(value) AS value FROM (${first}) AS firsts`);
  return row?.value ?? undefined;
}
