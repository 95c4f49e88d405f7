import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { renderer, type SqlValue } from "../sql.ts";

const keptStatements = 400;

/** One open database handle with its prepared statements. */
export interface SqliteConnection {
  readonly db: DatabaseSync;
  all(text: string, values: readonly SqlValue[]): unknown[];
  one(text: string, values: readonly SqlValue[]): unknown;
  run(text: string, values: readonly SqlValue[]): number;
  prepare(text: string): StatementSync;
  close(): void;
}

export const sqliteText = renderer((n) => `?${n}`);

export function openConnection(file: string, mode: "read" | "write"): SqliteConnection {
  const db = new DatabaseSync(file, { timeout: 30_000 });
  if (mode === "write") {
    // What is deleted is overwritten. How a file gives back pages can only be chosen before it has tables.
    db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON");
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 16000");
  } else {
    db.exec("PRAGMA query_only = ON");
  }
  db.exec("PRAGMA cache_size = -32000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0");
  const statements = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const held = statements.get(text);
    if (held) return held;
    const oldest = statements.size >= keptStatements ? statements.keys().next().value : undefined;
    if (oldest !== undefined) statements.delete(oldest);
    const statement = db.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return {
    db,
    prepare,
    all: (text, values) => prepare(text).all(...(values as SQLInputValue[])),
    one: (text, values) => prepare(text).get(...(values as SQLInputValue[])),
    run: (text, values) => {
      const statement = prepare(text);
      // The word index leaves row numbers behind that no double holds.
      statement.setReadBigInts(true);
      return Number(statement.run(...(values as SQLInputValue[])).changes);
    },
    close: () => {
      statements.clear();
      db.close();
    },
  };
}
