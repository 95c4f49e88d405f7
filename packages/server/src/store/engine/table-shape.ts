import type { Column, ReadTransaction, WriteTransaction } from "./engine.ts";

/** The tables a database has, for backups, which copy them without knowing their purpose. */

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
