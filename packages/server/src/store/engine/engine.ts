import type { Sql, SqlValue } from "./sql.ts";

/**
 * What a database engine must offer. Everything above this line is shared; what the engines disagree about is in `sqlite/` and
 * `postgres/`, and nowhere else.
 */

type Row = Record<string, never>;

export type ColumnType = "text" | "number" | "integer" | "bytes";

/** Where SQL itself differs. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Column types; text compares by code point on every engine. */
  readonly types: Readonly<Record<ColumnType, string>>;
  readonly serial: string;
  /** `column` is one of `values`, by index. */
  among(column: Sql, values: readonly string[]): Sql;
  /** `column` is one of `values`, any number of them. */
  amongNumbers(column: string, values: readonly number[]): Sql;
  /** A table expression `b(n, lo, hi)` of numbered half-open ranges. */
  ranges(ranges: readonly { n: number; lo: number; hi: number }[]): Sql;
  /** A column whose own index must not be walked, because a condition on another column finds the records. */
  withoutIndex(column: Sql): Sql;
  /** Statements that tell the planner what to expect of a stream's table, where it does not find out by itself. */
  plannerStatistics(table: string, indexes: readonly { name: string; width: number; sharing: number }[]): Sql[];
  /** Statements that let the planner look at a table whose size has changed much, where it would take its time by itself. */
  analyze(table: string): Sql[];
  /** A whole number for a number column's value, summed exactly. */
  castToInteger(expression: Sql): Sql;
}

export interface ReadTransaction {
  all<T = Row>(query: Sql): Promise<T[]>;
  one<T = Row>(query: Sql): Promise<T | undefined>;
  /** `all`, for what read after read asks: an engine may answer from memory while nothing was written since. */
  allCached<T = Row>(query: Sql): Promise<readonly T[]>;
}

/** The row of a statement that always has one. */
export async function requireRow<T>(on: ReadTransaction, query: Sql): Promise<T> {
  const row = await on.one<T>(query);
  if (row === undefined) throw new Error("a statement that always has a row has none");
  return row;
}

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface WriteTransaction extends ReadTransaction {
  run(query: Sql): Promise<number>;
  /** Inserts rows; the fastest way the engine has. Rows that are there already are an error, or ignored. */
  insert(
    table: string,
    columns: readonly Column[],
    rows: readonly (readonly SqlValue[])[],
    onConflict?: "ignore",
  ): Promise<void>;
}

export interface Engine {
  readonly dialect: Dialect;
  /** Light reads run in this process, one at a time, so it pays to find out which reads are heavy. */
  readonly readsInProcess: boolean;
  /** Reads that see one state of the vault. `heavy` reads run beside the others, not in front of them. */
  read<T>(work: (on: ReadTransaction) => Promise<T>, weight?: "light" | "heavy"): Promise<T>;
  /** One transaction, durable when it resolves; concurrent ones wait for each other. */
  write<T>(work: (on: WriteTransaction) => Promise<T>): Promise<T>;
  /** Resolves when the database answers, and soon rejects when it does not, whatever else is being read. */
  ready(): Promise<void>;
  /** How many bytes its files take, indexes included. */
  size(): Promise<number>;
  /** Between two steps of long work: other writers get their turn, those of other processes too, and the log is kept short. */
  yieldToWriters(): Promise<void>;
  /** Clears the files of what was deleted, as far as the engine can. */
  reclaimSpace(): Promise<void>;
  close(): Promise<void>;
}
