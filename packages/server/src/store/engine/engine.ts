import { PdppError } from "@pdpp/contract/errors";
import type { Sql, SqlValue } from "./sql.ts";

/** The port that a database engine implements. The engines differ only in `sqlite/` and `postgres/`; all other code is shared. */

type Row = Record<string, never>;

export type ColumnType = "text" | "number" | "integer" | "bytes";

export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Column types. Text compares by code point on every engine. */
  readonly types: Readonly<Record<ColumnType, string>>;
  readonly serial: string;
  /** `column` equals one of `values`, using an index. */
  among(column: Sql, values: readonly string[]): Sql;
  /** `column` equals one of `values`, however many there are. */
  amongNumbers(column: string, values: readonly number[]): Sql;
  /** A table expression `b(n, lo, hi)` of numbered half-open ranges. */
  ranges(ranges: readonly { n: number; lo: number; hi: number }[]): Sql;
  /** The name of a row's place in its table, if the engine has one that every index contains. */
  readonly rowId?: string;
  /** A column whose own index must not be used, because a condition on another column is more selective. */
  withoutIndex(column: Sql): Sql;
  /** Statistics for the planner about a stream's table, on engines that do not collect them. */
  plannerStatistics(table: string, indexes: readonly { name: string; width: number; sharing: number }[]): Sql[];
  analyze(table: string): Sql[];
  /** Keeps other writers out of a table until the transaction ends, on engines that have several at a time. */
  lockTable(table: string): Sql[];
  /** Casts a number to an integer, so that sums are exact. */
  castToInteger(expression: Sql): Sql;
}

export interface ReadTransaction {
  readonly dialect: Dialect;
  all<T = Row>(query: Sql): Promise<T[]>;
  one<T = Row>(query: Sql): Promise<T | undefined>;
  /** Like `all`, for queries that are repeated often: an engine may answer from memory until something is written. */
  allCached<T = Row>(query: Sql): Promise<readonly T[]>;
}

/** Runs a query that always returns a row. */
export async function requireRow<T>(on: ReadTransaction, query: Sql): Promise<T> {
  const row = await on.one<T>(query);
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}

/** Runs a query that returns one number, as `n`. */
export async function selectNumber(on: ReadTransaction, query: Sql): Promise<number> {
  return Number((await requireRow<{ n: number }>(on, query)).n);
}

export interface Column<Name extends string = string> {
  readonly name: Name;
  readonly type: ColumnType;
}

type ColumnName<List> = List extends `${infer First}, ${infer Rest}`
  ? ColumnName<First> | ColumnName<Rest>
  : List extends `${infer Name} ${ColumnType}`
    ? Name
    : never;

/** Columns as SQL lists them: `defineColumns("owner_no integer, key text")`. */
export const defineColumns = <const List extends string>(
  ...lists: readonly List[]
): readonly Column<ColumnName<List>>[] =>
  lists.flatMap((list) =>
    list.split(", ").map((column) => {
      const [name, type] = column.split(" ");
      return { name, type } as Column<ColumnName<List>>;
    }),
  );

export interface WriteTransaction extends ReadTransaction {
  run(query: Sql): Promise<number>;
  /** Inserts rows in the fastest way the engine has. Existing rows are an error. */
  insert(table: string, columns: readonly Column[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
}

/** Why a vault can be read but not written. */
export interface ReadOnlyReason {
  readonly reason: string;
  readonly nextStep: string;
}

export const createReadOnlyError = ({ reason, nextStep }: ReadOnlyReason): PdppError =>
  new PdppError("unavailable", `the vault is open for reading only: ${reason}`, { next_step: nextStep });

export interface Engine {
  readonly dialect: Dialect;
  /** Set if nothing can be written. */
  readonly readOnly?: ReadOnlyReason;
  /** Whether light reads run in this process, one at a time: then callers should find out which reads are heavy. */
  readonly readsInProcess: boolean;
  /** A read transaction: it sees one state of the vault. Heavy reads do not block light ones. */
  read<T>(work: (on: ReadTransaction) => Promise<T>, weight?: "light" | "heavy"): Promise<T>;
  /** One light read on its own, which may cost less than a transaction with one statement. */
  select<T>(query: Sql): Promise<T[]>;
  /**
   * Follows what a query returns as `value` in its only row: a function that tells the current value, or undefined while it cannot
   * be read. Missing where that costs as much as a read.
   */
  watch?(query: Sql): () => string | undefined;
  /** A write transaction, durable when it resolves. Concurrent writes wait for each other. */
  write<T>(work: (on: WriteTransaction) => Promise<T>): Promise<T>;
  /** Resolves if the database responds, and rejects soon if it does not or if `check` does, even while other reads are running. */
  ready(check: (on: ReadTransaction) => Promise<void>): Promise<void>;
  size(): Promise<number>;
  /**
   * Call it between two steps of long work: it lets other writers in, including those of other processes, and keeps the log short.
   */
  yieldToWriters(): Promise<void>;
  /** Removes deleted data from the files, as far as the engine can. */
  reclaimSpace(): Promise<void>;
  /** Refuses new work, waits for running work within a bound, and closes every connection. */
  close(): Promise<void>;
}
