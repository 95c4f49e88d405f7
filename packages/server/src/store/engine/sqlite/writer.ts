import type { WriteTransaction } from "../engine.ts";
import { sqliteText } from "./connection.ts";
import { createReadTransaction } from "./readers.ts";
import { openThread, type SqliteThread } from "./thread.ts";

/** The only connection of a process that writes, in its own thread; opened on demand. */
export function createWriter(file: string) {
  let opened: SqliteThread | undefined;
  const getThread = (): SqliteThread => {
    if (opened === undefined || opened.isBroken()) opened = openThread({ file, mode: "write" });
    return opened;
  };
  return {
    /** Waits for other processes up to `until`. */
    async transaction<T>(until: number, work: (on: WriteTransaction) => Promise<T>): Promise<T> {
      const on = getThread();
      // BEGIN is sent together with the first statement: the fewer round trips while locked, the sooner the lock is released.
      const begun = on.run({ kind: "begin", until });
      begun.catch(() => undefined);
      try {
        const result = await work(createWriteTransaction(on));
        await begun;
        await on.run({ kind: "run", text: "COMMIT", values: [] });
        return result;
      } catch (error) {
        // Statements after a failed BEGIN were rejected. Report why BEGIN failed.
        await begun;
        // SQLite may have rolled back already.
        await on.run({ kind: "run", text: "ROLLBACK", values: [] }).catch(() => undefined);
        throw error;
      }
    },
    /** Returns the number of free pages left. */
    releaseFreePages: (until: number) => getThread().run({ kind: "releaseFreePages", until }),
    /** Returns whether the log is empty. */
    truncateLog: async () => (await getThread().run({ kind: "truncateLog" })) === 1,
    close: async () => opened?.close(),
  };
}

function createWriteTransaction(on: SqliteThread): WriteTransaction {
  return {
    ...createReadTransaction(on.all),
    run: (query) => on.run({ kind: "run", text: sqliteText(query), values: query.values }),
    async insert(table, columns, rows) {
      if (rows.length === 0) return;
      const names = columns.map((column) => column.name).join(", ");
      const marks = columns.map(() => "?").join(", ");
      const text = `INSERT INTO ${table} (${names}) VALUES (${marks})`;
      await on.run({ kind: "insert", text, rows });
    },
  };
}
