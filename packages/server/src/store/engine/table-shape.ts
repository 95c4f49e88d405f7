import type { Column, ReadTransaction, WriteTransaction } from "./engine.ts";

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
