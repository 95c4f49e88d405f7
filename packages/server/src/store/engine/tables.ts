import type { Column, Dialect, ReadTransaction, WriteTransaction } from "./engine.ts";
import { postgresTables } from "./postgres/tables.ts";
import { sqliteTables } from "./sqlite/tables.ts";

/** The tables that a database has, as they are; for whoever copies them without knowing what they are for. */

export interface TableShape {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
  /** The column whose numbers the engine gives by itself. */
  readonly serial?: string;
}

interface TableColumn extends Column {
  readonly required: boolean;
}

export interface Tables {
  list(on: ReadTransaction): Promise<TableShape[]>;
  /** The number that the next row gets. */
  nextSerial(on: ReadTransaction, table: string, serial: string): Promise<number>;
  setNextSerial(on: WriteTransaction, table: string, serial: string, next: number): Promise<void>;
}

export const getTables = ({ name }: Dialect): Tables => (name === "sqlite" ? sqliteTables : postgresTables);

/** Whether the database has the tables of a vault. */
export const hasVault = async (on: ReadTransaction, dialect: Dialect): Promise<boolean> =>
  (await getTables(dialect).list(on)).some(({ name }) => name === "meta");
