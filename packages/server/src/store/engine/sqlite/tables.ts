import { raw, sql } from "../sql.ts";
import { buildTableShapes, type ColumnRow, type Tables } from "../table-shape.ts";

export const sqliteTables: Tables = {
  async list(on) {
    const rows = await on.all<ColumnRow>(
      raw(`SELECT t.name AS table_name, c.name AS name, c.type AS type, c."notnull" OR c.pk AS required,
        c.pk = 1 AND instr(t.sql, 'AUTOINCREMENT') > 0 AS serial, NULLIF(c.pk, 0) AS key_position
        FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY t.name, c.cid`),
    );
    return buildTableShapes(rows);
  },
  async nextSerial(on, table) {
    const row = await on.one<{ seq: number }>(sql`SELECT seq FROM sqlite_sequence WHERE name = ${table}`);
    return (row?.seq ?? 0) + 1;
  },
  async setNextSerial(on, table, _serial, next) {
    await on.run(sql`DELETE FROM sqlite_sequence WHERE name = ${table}`);
    await on.run(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${next - 1})`);
  },
};
