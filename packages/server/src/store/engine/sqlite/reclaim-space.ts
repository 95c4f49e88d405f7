import type { DatabaseSync } from "node:sqlite";
import { readPragma } from "./vault-file.ts";

const maxPagesPerStep = 2000;

/** A file of this size is rewritten in less than a second. */
const maxVacuumBytes = 64 * 1024 * 1024;

/**
 * Returns some free pages to the file system, and the number of those left. Deleted data is overwritten in place, but SQLite moves
 * entries between pages and may leave a copy in unused space. Only rewriting the file removes such copies.
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

/**
 * Checkpoints and truncates the log, unless a reader holds an old state for longer than the timeout. Returns 1 if the log is empty.
 */
export function truncateLog(db: DatabaseSync): 0 | 1 {
  // A passive checkpoint does not block. It leaves little to the second one, which blocks writers.
  db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  db.exec(`PRAGMA busy_timeout = ${readerTimeoutMs}`);
  try {
    return readPragma(db, "wal_checkpoint(TRUNCATE)") === 0 ? 1 : 0;
  } finally {
    db.exec("PRAGMA busy_timeout = 0");
  }
}
