import type { DatabaseSync } from "node:sqlite";
import { readPragma } from "./vault-file.ts";

/** What a vault's files keep beyond its records: free pages, and the write-ahead log. */

const maxPagesPerStep = 2000;

/** A file of this size is written anew in less than a second. */
const maxVacuumBytes = 64 * 1024 * 1024;

/**
 * Gives some free pages back to the file system; answers how many are left. What is deleted is overwritten where it stood, but SQLite moves
 * entries between pages and may leave a copy in the gap of one: only a file that is written anew has none of it.
 */
export function releaseFreePages(db: DatabaseSync): number {
  const isOld = readPragma(db, "auto_vacuum") !== 2;
  if (isOld) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  if (isOld || readPragma(db, "page_count") * readPragma(db, "page_size") <= maxVacuumBytes) {
    db.exec("VACUUM");
    return 0;
  }
  db.exec(`PRAGMA incremental_vacuum(${maxPagesPerStep})`);
  return readPragma(db, "freelist_count");
}

const readerTimeoutMs = 50;

/** Moves the log into the vault and empties it, unless somebody reads an old state for longer than a moment; answers 1 when it is empty. */
export function truncateLog(db: DatabaseSync): 0 | 1 {
  // This one holds nobody up. What it leaves is little, so that the other one, which keeps writers out, is short.
  db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  db.exec(`PRAGMA busy_timeout = ${readerTimeoutMs}`);
  try {
    return readPragma(db, "wal_checkpoint(TRUNCATE)") === 0 ? 1 : 0;
  } finally {
    db.exec("PRAGMA busy_timeout = 0");
  }
}
