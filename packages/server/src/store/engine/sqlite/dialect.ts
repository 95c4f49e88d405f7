import type { Dialect } from "../engine.ts";
import { raw, type Sql, sql } from "../sql.ts";

export const sqliteDialect: Dialect = {
  name: "sqlite",
  rowId: "rowid",
  types: { text: "TEXT", number: "REAL", integer: "INTEGER", bytes: "BLOB" },
  serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
  among: (column, values) =>
    values.length === 1
      ? sql`${column} = ${values[0]!}`
      : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  amongNumbers: (column, values) => sql`${raw(column)} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  ranges: (ranges) =>
    sql`(SELECT json_extract(value, '$.n') AS n, json_extract(value, '$.lo') AS lo, json_extract(value, '$.hi') AS hi
      FROM json_each(${JSON.stringify(ranges)})) AS b`,
  withoutIndex: (column) => sql`+${column}`,
  plannerStatistics: buildPlannerStatistics,
  analyze: () => [],
  lockTable: () => [],
  castToInteger: (expression) => sql`CAST(${expression} AS INTEGER)`,
};

const tableRows = 1_000_000;
const connectionRows = 200_000;

/**
 * Without statistics SQLite assumes that owner and connection together are almost unique, and scans a whole connection in the order
 * of some index instead of looking up a filter. ANALYZE would block the writer of a large vault, so the statistics are fixed.
 */
function buildPlannerStatistics(
  table: string,
  indexes: readonly { name: string; width: number; sharing: number }[],
): Sql[] {
  const reload = raw("ANALYZE sqlite_schema");
  const figures = [{ name: `sqlite_autoindex_${table}_1`, width: 1, sharing: 1 }, ...indexes].map(
    ({ name, width, sharing }) => {
      const beyond = Array.from({ length: width - 1 }, () => 1);
      return sql`INSERT INTO sqlite_stat1 VALUES (${table}, ${name}, ${[tableRows, tableRows, connectionRows, sharing, ...beyond].join(" ")})`;
    },
  );
  return [reload, sql`DELETE FROM sqlite_stat1 WHERE tbl = ${table}`, ...figures, reload];
}
