import type { Dialect } from "../engine.ts";
import { sql } from "../sql.ts";

export const sqliteDialect: Dialect = {
  name: "sqlite",
  types: { text: "TEXT", number: "REAL", integer: "INTEGER", bytes: "BLOB" },
  serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
  among: (column, values) =>
    values.length === 1
      ? sql`${column} = ${values[0]!}`
      : sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  ranges: (ranges) =>
    sql`(SELECT json_extract(value, '$.n') AS n, json_extract(value, '$.lo') AS lo, json_extract(value, '$.hi') AS hi
      FROM json_each(${JSON.stringify(ranges)})) AS b`,
  exactInteger: (expression) => sql`CAST(${expression} AS INTEGER)`,
};
