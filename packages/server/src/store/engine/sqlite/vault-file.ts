import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { PdppError } from "@pdpp/contract/errors";
import { isRunning } from "../is-running.ts";
import { openConnection, type SqliteConnection } from "./connection.ts";
import { isBusy, lockTimeoutMs } from "./lock-wait.ts";

/**
 * While a vault is open, its newest records are in `vault.db-wal`, and a copy of `vault.db` alone opens as an older or empty vault.
 * The last process to close a vault therefore leaves WAL mode, so a file in WAL mode without a log was copied while it was open.
 * This `user_version` marks files closed that way; older versions of pdpp did not do it.
 */
const closedProperly = 1;

const getLogFile = (file: string): string => `${file}-wal`;
const markPrefix = (file: string): string => `${basename(file)}-mode`;

export function openVaultFile(file: string): SqliteConnection {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  ensureComplete(file);
  const isNew = !existsSync(file);
  const connection = withModeMark(file, () => {
    // The log and its index get the permissions of the file.
    if (isNew) closeSync(openSync(file, "a", 0o600));
    const opened = openConnection(file, "write", lockTimeoutMs);
    if (isNew && readPragma(opened.db, "user_version") === 0) opened.db.exec(`PRAGMA user_version = ${closedProperly}`);
    enterWalMode(opened.db);
    return opened;
  });
  removeStaleMarks(file);
  return connection;
}

/** The last process leaves a file that can be copied on its own; other processes leave it unchanged. */
export function closeVaultFile(connection: SqliteConnection, file: string): void {
  withModeMark(file, () => {
    leaveWalMode(connection);
    // Two processes that close at the same time each find the other still there. Then the last one has removed the log, but not
    // left WAL mode.
    for (let i = 0; i < maxCloseAttempts && isLogMissing(file); i++) {
      sleepSync(Math.random() * pauseMs);
      try {
        leaveWalMode(openConnection(file, "write", 0));
      } catch {
        // Another process has opened the file and is responsible for it now.
      }
    }
  });
}

function leaveWalMode({ db, close }: SqliteConnection): void {
  try {
    db.exec("PRAGMA busy_timeout = 0");
    db.exec("PRAGMA journal_mode = DELETE");
    if (readPragma(db, "user_version") === 0) db.exec(`PRAGMA user_version = ${closedProperly}`);
  } catch {
    // Another process has it open, or it is not writable: the log stays, so nothing is lost.
  }
  close();
}

let marksMade = 0;

/** Marks that the file may be without its log for a moment. */
function withModeMark<T>(file: string, work: () => T): T {
  const mark = join(dirname(file), `${markPrefix(file)}-${process.pid}-${marksMade++}`);
  try {
    closeSync(openSync(mark, "a", 0o600));
  } catch {
    // The folder is not writable, so nothing changes, and the next step reports the error.
  }
  try {
    return work();
  } finally {
    rmSync(mark, { force: true });
  }
}

const listMarks = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(markPrefix(file)));

function removeStaleMarks(file: string): void {
  for (const name of listMarks(file)) {
    const pid = Number(name.slice(markPrefix(file).length + 1).split("-")[0]);
    if (!isRunning(pid)) rmSync(join(dirname(file), name), { force: true });
  }
}

const isLogMissing = (file: string): boolean => !existsSync(getLogFile(file)) && isInWalMode(file);

function ensureComplete(file: string): void {
  if (!existsSync(file)) return;
  const whole = () => listMarks(file).length > 0 || existsSync(getLogFile(file));
  if (statSync(file).size === 0 && staysTrue(() => !whole() && statSync(file).size === 0)) {
    throw new PdppError("unavailable", `${file} is empty (0 bytes) and not a vault`, {
      next_step: "restore a backup with pdpp restore; to start over, delete the file",
    });
  }
  if (
    readHeader(file).readUInt32BE(userVersionAt) >= closedProperly &&
    staysTrue(() => !whole() && isLogMissing(file))
  ) {
    throw new PdppError(
      "unavailable",
      `${file} was copied while the vault was open, without ${getLogFile(file)}, which contains its newest records`,
      {
        next_step:
          `copy the log too, or restore a backup made with pdpp backup. If the log is lost, or the copy was made by a tool that reads it ` +
          `(sqlite3 .backup): touch ${getLogFile(file)}, and the vault opens with the contents of the copy`,
      },
    );
  }
}

/** Checks repeatedly, since another process may open or close the vault between two checks. */
function staysTrue(holds: () => boolean): boolean {
  for (let i = 0; i < maxChecks; i++) {
    if (!holds()) return false;
    sleepSync(pauseMs);
  }
  return true;
}

const maxChecks = 10;
const maxCloseAttempts = 100;
const pauseMs = 20;
const sleepSync = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

const writeVersionAt = 18;
const userVersionAt = 60;
const headerBytes = 100;
const walMode = 2;

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, headerBytes, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}

const isInWalMode = (file: string): boolean => readHeader(file)[writeVersionAt] === walMode;

/** SQLite does not wait for another process here. */
function enterWalMode(db: DatabaseSync): void {
  for (const began = Date.now(); ; ) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (Date.now() - began > lockTimeoutMs || !isBusy(error)) throw error;
      sleepSync(pauseMs);
    }
  }
}

export const readPragma = (db: DatabaseSync, pragma: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
