import { type ColumnType, requireRow } from "../engine.ts";
import { raw, sql } from "../sql.ts";
import type { TableShape, Tables } from "../table-shape.ts";

interface ColumnRow {
  table_name: string;
  name: string;
  type: string;
  required: boolean;
  identity: string;
  /** Its position in the primary key. */
  place: number | null;
}

const types: Readonly<Record<string, ColumnType>> = {
  text: "text",
  "double precision": "number",
  bigint: "integer",
  bytea: "bytes",
};

function getColumnType({ table_name, name, type }: ColumnRow): ColumnType {
  const known = types[type];
  if (known === undefined) throw new Error(`column ${name} of ${table_name} has the unknown type ${type}`);
  return known;
}

export const postgresTables: Tables = {
  async list(on) {
    const rows = await on.all<ColumnRow>(
      raw(`SELECT c.relname AS table_name, a.attname AS name, format_type(a.atttypid, NULL) AS type, a.attnotnull AS required,
        a.attidentity AS identity, array_position(k.conkey, a.attnum) AS place
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname, a.attnum`),
    );
    return [...Map.groupBy(rows, ({ table_name }) => table_name)].map(([name, columns]): TableShape => {
      const key = columns.filter(({ place }) => place !== null).sort((a, b) => Number(a.place) - Number(b.place));
      const serial = columns.find(({ identity }) => identity !== "");
      return {
        name,
        columns: columns.map((column) => ({
          name: column.name,
          type: getColumnType(column),
          required: column.required,
        })),
        key: key.map((column) => column.name),
        ...(serial === undefined ? {} : { serial: serial.name }),
      };
    });
  },
  async nextSerial(on, table, serial) {
    const { name } = await requireRow<{ name: string }>(
      on,
      sql`SELECT pg_get_serial_sequence(${table}::text, ${serial}::text) AS name`,
    );
    const { next } = await requireRow<{ next: number }>(
      on,
      raw(`SELECT CASE WHEN is_called THEN last_value + 1 ELSE last_value END AS next FROM ${name}`),
    );
    return next;
  },
  async setNextSerial(on, table, serial, next) {
    await on.all(sql`SELECT setval(pg_get_serial_sequence(${table}::text, ${serial}::text), ${next}::bigint, false)`);
  },
};
