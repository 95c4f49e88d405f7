import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { createTemporaryFolder } from "../../tree/temporary.ts";
import type { Entry } from "../../tree/tree.ts";
import { describeError } from "../text/describe-error.ts";

/**
 * Reads SQLite databases of other programs from a copy: opening one writes next to it, and the write-ahead log would be missed.
 */

export const isSqlite = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 16)).toString("latin1") === "SQLite format 3\0";

export const findWriteAheadLog = (entry: Entry, companions: readonly Entry[]): Entry | undefined =>
  companions.find(({ path }) => path === `${entry.path}-wal`);

export class DatabaseError extends Error {}

/** Yields what `read` finds in a temporary copy. Throws `DatabaseError` if the file is damaged or not a database. */
export async function* readFromDatabase<T>(
  entry: Entry,
  log: Entry | undefined,
  read: (database: DatabaseSync) => AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  const folder = await createTemporaryFolder();
  let database: DatabaseSync | undefined;
  try {
    const file = join(folder, "database");
    await pipeline(entry.bytes(), createWriteStream(file, { mode: 0o600 }));
    if (log !== undefined) await pipeline(log.bytes(), createWriteStream(`${file}-wal`, { mode: 0o600 }));
    try {
      database = new DatabaseSync(file);
      // Schemas of other programs may contain triggers and views; only plain tables are trusted.
      database.exec("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cache_size = -4000");
      yield* read(database);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR")
        throw new DatabaseError(`cannot read the database: ${describeError(error)}`);
      throw error;
    }
  } finally {
    database?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Plain tables and their columns. */
export function listTables(database: DatabaseSync): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>();
  const all = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  for (const { name, sql } of all) {
    if (typeof name !== "string" || typeof sql !== "string" || /^\s*CREATE\s+VIRTUAL/i.test(sql)) continue;
    const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).all(name);
    tables.set(name, new Set(columns.flatMap((column) => (typeof column.name === "string" ? [column.name] : []))));
  }
  return tables;
}
