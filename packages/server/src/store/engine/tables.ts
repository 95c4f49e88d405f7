import type { Column, Dialect, Reading, Writing } from "./engine.ts";
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
  list(on: Reading): Promise<TableShape[]>;
  /** The number that the next row gets. */
  nextSerial(on: Reading, table: string, serial: string): Promise<number>;
  setNextSerial(on: Writing, table: string, serial: string, next: number): Promise<void>;
}

export const tablesOf = ({ name }: Dialect): Tables => (name === "sqlite" ? sqliteTables : postgresTables);

/** Whether the database has the tables of a vault. */
export const hasVault = async (on: Reading, dialect: Dialect): Promise<boolean> =>
  (await tablesOf(dialect).list(on)).some(({ name }) => name === "meta");
