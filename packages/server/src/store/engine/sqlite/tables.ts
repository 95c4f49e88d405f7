import type { ColumnType } from "../engine.ts";
import { raw, sql } from "../sql.ts";
import type { Tables } from "../table-shape.ts";

interface ColumnRow {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

const types: Readonly<Record<string, ColumnType>> = { TEXT: "text", REAL: "number", INTEGER: "integer", BLOB: "bytes" };

function getColumnType(table: string, { name, type }: ColumnRow): ColumnType {
  const known = types[type];
  if (known === undefined) throw new Error(`column ${name} of ${table} has the unknown type ${type}`);
  return known;
}

export const sqliteTables: Tables = {
  async list(on) {
    const tables = await on.all<{ name: string; sql: string }>(
      raw(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
      ),
    );
    const shapes = [];
    for (const { name, sql: made } of tables) {
      const columns = await on.all<ColumnRow>(
        sql`SELECT name, type, "notnull", pk FROM pragma_table_info(${name}) ORDER BY cid`,
      );
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      const [serial] = made.includes("AUTOINCREMENT") ? key : [];
      shapes.push({
        name,
        columns: columns.map((column) => ({
          name: column.name,
          type: getColumnType(name, column),
          required: column.notnull === 1 || column.pk > 0,
        })),
        key: key.map((column) => column.name),
        ...(serial === undefined ? {} : { serial: serial.name }),
      });
    }
    return shapes;
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
