import { requireRow, selectNumber } from "../engine.ts";
import { raw, sql } from "../sql.ts";
import { buildTableShapes, type ColumnRow, type Tables } from "../table-shape.ts";

export const postgresTables: Tables = {
  async list(on) {
    const rows = await on.all<ColumnRow>(
      raw(`SELECT c.relname AS table_name, a.attname AS name, format_type(a.atttypid, NULL) AS type, a.attnotnull AS required,
        a.attidentity <> '' AS serial, array_position(k.conkey, a.attnum) AS key_position
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname, a.attnum`),
    );
    return buildTableShapes(rows);
  },
  async nextSerial(on, table, serial) {
    const { name } = await requireRow<{ name: string }>(
      on,
      sql`SELECT pg_get_serial_sequence(${table}::text, ${serial}::text) AS name`,
    );
    return selectNumber(
      on,
      raw(`SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END AS n FROM ${name}`),
    );
  },
  async setNextSerial(on, table, serial, next) {
    await on.all(sql`SELECT setval(pg_get_serial_sequence(${table}::text, ${serial}::text), ${next}::bigint, false)`);
  },
};
