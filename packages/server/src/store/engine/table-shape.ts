import type { Column, ColumnType, ReadTransaction, WriteTransaction } from "./engine.ts";

/** The tables of a database, for backups, which copy them without knowing their purpose. */

export interface TableShape {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly key: readonly string[];
  /** The column that the engine numbers automatically. */
  readonly serial?: string;
}

interface TableColumn extends Column {
  readonly required: boolean;
}

export interface Tables {
  list(on: ReadTransaction): Promise<TableShape[]>;
  nextSerial(on: ReadTransaction, table: string, serial: string): Promise<number>;
  setNextSerial(on: WriteTransaction, table: string, serial: string, next: number): Promise<void>;
}

/** A column as the engines describe it. SQLite has numbers for booleans. */
export interface ColumnRow {
  readonly table_name: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean | number;
  readonly serial: boolean | number;
  /** Its position in the primary key. */
  readonly key_position: number | null;
}

const types = new Map<string, ColumnType>([
  ["TEXT", "text"],
  ["REAL", "number"],
  ["DOUBLE PRECISION", "number"],
  ["INTEGER", "integer"],
  ["BIGINT", "integer"],
  ["BLOB", "bytes"],
  ["BYTEA", "bytes"],
]);

function getColumnType({ table_name, name, type }: ColumnRow): ColumnType {
  const known = types.get(type.toUpperCase());
  if (known === undefined) throw new Error(`column ${name} of ${table_name} has the unknown type ${type}`);
  return known;
}

/**
 * Word indexes of schema 3, in tables of the engines' own full-text search that cannot be copied as rows. The migration to schema 4 drops
 * them and builds ours from the records.
 */
const oldWordTable = /^s_\d+_\d+(_|$)/;

export function buildTableShapes(rows: readonly ColumnRow[]): TableShape[] {
  const copied = rows.filter(({ table_name }) => !oldWordTable.test(table_name));
  return [...Map.groupBy(copied, (row) => row.table_name)].map(([name, columns]) => {
    const key = columns.filter((column) => column.key_position !== null);
    const serial = columns.find((column) => column.serial);
    return {
      name,
      columns: columns.map((column) => ({
        name: column.name,
        type: getColumnType(column),
        required: Boolean(column.required),
      })),
      key: key.toSorted((a, b) => Number(a.key_position) - Number(b.key_position)).map((column) => column.name),
      ...(serial === undefined ? {} : { serial: serial.name }),
    };
  });
}
