import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { LRUCache } from "lru-cache";
import { createRenderer, type SqlValue } from "../sql.ts";

const maxCachedStatements = 400;

export interface SqliteConnection {
  readonly db: DatabaseSync;
  all<T>(text: string, values: readonly SqlValue[]): T[];
  one<T>(text: string, values: readonly SqlValue[]): T | undefined;
  run(text: string, values: readonly SqlValue[]): number;
  close(): void;
}

export const sqliteText = createRenderer((n) => `?${n}`);

/** SQLite has no array parameters: lists are passed as JSON. */
function checkBindable(value: SqlValue): SQLInputValue {
  if (typeof value === "object" && value !== null && !(value instanceof Uint8Array))
    throw new TypeError("SQLite does not accept lists as parameters");
  return value;
}

/** Pass a `waitMs` of 0 in the main thread, which must not block on a lock. */
export function openConnection(file: string, mode: "read" | "write", waitMs: number): SqliteConnection {
  const db = new DatabaseSync(file, { timeout: waitMs });
  try {
    prepareConnection(db, mode);
  } catch (error) {
    db.close();
    throw error;
  }
  const statements = new LRUCache<string, StatementSync>({ max: maxCachedStatements });
  const prepare = (text: string): StatementSync => {
    const held = statements.get(text);
    if (held) return held;
    const statement = db.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return {
    db,
    all: <T>(text: string, values: readonly SqlValue[]) => prepare(text).all(...values.map(checkBindable)) as T[],
    one: <T>(text: string, values: readonly SqlValue[]) =>
      prepare(text).get(...values.map(checkBindable)) as T | undefined,
    run: (text, values) => {
      const statement = prepare(text);
      // The word index uses row ids that do not fit into a double.
      statement.setReadBigInts(true);
      return Number(statement.run(...values.map(checkBindable)).changes);
    },
    close: () => {
      statements.clear();
      db.close();
    },
  };
}

/** Negative: in KiB. A process has up to twenty reading connections, and the operating system caches the file for all of them. */
const cacheSizes = { read: -2000, write: -32_000 } as const;

/** Three records of a kilobyte fill a page of 4 kB to three quarters, seven of them one of 8 kB. Two chunks of the word index fit as well. */
const pageBytes = 8192;
const checkpointPages = 8000;

function prepareConnection(db: DatabaseSync, mode: "read" | "write"): void {
  if (mode === "write") {
    // These can be chosen only before the file has tables; later it would need the write lock.
    if (db.prepare("PRAGMA page_count").get()?.page_count === 0)
      db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
    // Overwrites deleted data.
    db.exec("PRAGMA secure_delete = ON");
    db.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${checkpointPages}`);
  } else {
    db.exec("PRAGMA query_only = ON");
  }
  db.exec(`PRAGMA cache_size = ${cacheSizes[mode]}; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0`);
}
