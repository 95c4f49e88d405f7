import type { Column, Writing } from "../engine.ts";
import type { SqlValue } from "../sql.ts";
import { sqliteText } from "./connection.ts";
import { reading } from "./readers.ts";
import { openThread, type SqliteThread } from "./thread.ts";

/** The one connection of a process that writes, in a thread of its own; it is opened when first needed. */
export interface SqliteWriter {
  /** Waits for other processes until then. */
  transaction<T>(until: number, work: (on: Writing) => Promise<T>): Promise<T>;
  /** Answers how many free pages are left. */
  givePagesBack(until: number): Promise<number>;
  /** Answers whether it is empty. */
  emptyLog(): Promise<boolean>;
  close(): Promise<void>;
}

export function sqliteWriter(file: string): SqliteWriter {
  let opened: SqliteThread | undefined;
  const thread = (): SqliteThread => {
    if (opened === undefined || opened.isBroken()) opened = openThread({ file, mode: "write" });
    return opened;
  };
  return {
    async transaction(until, work) {
      const on = thread();
      // The first statement is sent along with it: the less often the lock's holder waits for this thread, the sooner it lets go.
      const begun = on.do({ kind: "begin", until });
      begun.catch(() => undefined);
      try {
        const result = await work(writing(on));
        await begun;
        await on.do({ kind: "run", text: "COMMIT", values: [] });
        return result;
      } catch (error) {
        // Statements that came behind a beginning that failed were refused; why it failed is what counts.
        await begun;
        // One that SQLite has ended itself cannot be ended again.
        await on.do({ kind: "run", text: "ROLLBACK", values: [] }).catch(() => undefined);
        throw error;
      }
    },
    givePagesBack: (until) => thread().do({ kind: "givePagesBack", until }),
    emptyLog: async () => (await thread().do({ kind: "emptyLog" })) === 1,
    close: async () => opened?.close(),
  };
}

function writing(on: SqliteThread): Writing {
  return {
    ...reading(on.all),
    run: (query) => on.do({ kind: "run", text: sqliteText(query), values: query.values }),
    async insert(
      table: string,
      columns: readonly Column[],
      rows: readonly (readonly SqlValue[])[],
      onConflict?: "ignore",
    ) {
      if (rows.length === 0) return;
      const names = columns.map((column) => column.name).join(", ");
      const marks = columns.map(() => "?").join(", ");
      const text = `INSERT ${onConflict ? "OR IGNORE " : ""}INTO ${table} (${names}) VALUES (${marks})`;
      await on.do({ kind: "insert", text, rows });
    },
  };
}
