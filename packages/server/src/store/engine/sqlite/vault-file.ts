import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";
import { PdppError } from "@pdpp/contract/errors";
import type { ReadOnlyReason } from "../engine.ts";
import { isRunning } from "../is-running.ts";
import { openConnection, type SqliteConnection } from "./connection.ts";
import { computeDeadline, isBusy, readMonotonicClock } from "./lock-wait.ts";

/**
 * While a vault is open, its newest records are in `vault.db-wal`, and a copy of `vault.db` alone opens as an older or empty vault.
 * The last process to close a vault therefore leaves WAL mode. A file in WAL mode without a log was either copied while it was open,
 * or SQLite removed the log: after a crash, any program that opens and closes the file moves the log into it. `vault.db-place` tells
 * the two apart. It exists while the vault is open, and contains the inode of the file, which a copy does not have.
 * This `user_version` marks files closed that way; older versions of pdpp did not do it.
 */
const closedProperly = 1;

const getLogFile = (file: string): string => `${file}-wal`;
const getLogIndexFile = (file: string): string => `${file}-shm`;
const getPlaceFile = (file: string): string => `${file}-place`;
const markPrefix = (file: string): string => `${basename(file)}-mode`;

/** Blocks the thread for up to `waitMs` while another process has the file locked. */
export function openVaultFile(file: string, waitMs: number): SqliteConnection {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const isNew = !existsSync(file);
  const connection = withModeMark(file, () => {
    // The log and its index get the permissions of the file.
    if (isNew) closeSync(openSync(file, "a", 0o600));
    const opened = openConnection(file, "write", waitMs);
    if (isNew && readPragma(opened.db, "user_version") === 0) opened.db.exec(`PRAGMA user_version = ${closedProperly}`);
    enterWalMode(opened.db, waitMs);
    notePlace(file);
    return opened;
  });
  removeStaleMarks(file);
  return connection;
}

/** The last process leaves a file that can be copied on its own; other processes leave it unchanged. */
export function closeVaultFile(connection: SqliteConnection, file: string): void {
  withModeMark(file, (mark) => {
    rmSync(getPlaceFile(file), { force: true });
    leaveWalMode(connection);
    // Two processes that close at the same time each find the other still there. So try again while others are opening or closing the
    // file, and once more when they have finished. If that fails too, a process has it open and is responsible for it.
    for (let i = 0; i < maxCloseAttempts && isInWalMode(file); i++) {
      const isAlone = !hasRunningMarks(file, mark);
      try {
        leaveWalMode(openConnection(file, "write", 0));
      } catch {
        // Another process has opened the file.
      }
      if (isAlone && !isLogMissing(file)) break;
      sleepSync(Math.random() * pauseMs);
    }
    settlePlace(file);
  });
}

const readInode = (file: string): string => String(statSync(file, { bigint: true }).ino);

function notePlace(file: string): void {
  try {
    writeFileSync(getPlaceFile(file), readInode(file), { mode: 0o600 });
  } catch {
    // On a full disk the vault still opens; it only cannot tell a copy from a crash later.
  }
}

/** Another process may open or close the file meanwhile, so the mode is checked again after each change. */
function settlePlace(file: string): void {
  if (isInWalMode(file)) notePlace(file);
  if (isInWalMode(file)) return;
  rmSync(getPlaceFile(file), { force: true });
  if (isInWalMode(file)) notePlace(file);
}

/** SQLite removes the index together with the log, so an index that is left means that somebody deleted the log. */
function isInPlace(file: string): boolean {
  try {
    return readFileSync(getPlaceFile(file), "utf8") === readInode(file) && !existsSync(getLogIndexFile(file));
  } catch {
    return false;
  }
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
function withModeMark<T>(file: string, work: (mark: string) => T): T {
  const mark = join(dirname(file), `${markPrefix(file)}-${process.pid}-${threadId}-${marksMade++}`);
  try {
    closeSync(openSync(mark, "a", 0o600));
  } catch {
    // The folder is not writable, so nothing changes, and the next step reports the error.
  }
  try {
    return work(mark);
  } finally {
    rmSync(mark, { force: true });
  }
}

const listMarks = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => name.startsWith(markPrefix(file)));

const isMarkRunning = (file: string, name: string): boolean =>
  isRunning(Number(name.slice(markPrefix(file).length + 1).split("-")[0]));

const hasRunningMarks = (file: string, ownMark: string): boolean =>
  listMarks(file).some((name) => name !== basename(ownMark) && isMarkRunning(file, name));

function removeStaleMarks(file: string): void {
  for (const name of listMarks(file)) {
    if (!isMarkRunning(file, name)) rmSync(join(dirname(file), name), { force: true });
  }
}

const isLogMissing = (file: string): boolean => !existsSync(getLogFile(file)) && isInWalMode(file);

/** Returns why the file can only be read, if its newest records are missing. Throws if it is empty. */
export function findMissingLog(file: string): ReadOnlyReason | undefined {
  if (!existsSync(file)) return undefined;
  const isWhole = () => listMarks(file).length > 0 || existsSync(getLogFile(file)) || isInPlace(file);
  if (statSync(file).size === 0 && staysTrue(() => !isWhole() && statSync(file).size === 0)) {
    throw new PdppError("unavailable", `${file} is empty (0 bytes) and not a vault`, {
      next_step: "restore a backup with pdpp restore; to start over, delete the file",
    });
  }
  const isMissing =
    readHeader(file).readUInt32BE(userVersionAt) >= closedProperly && staysTrue(() => !isWhole() && isLogMissing(file));
  if (!isMissing) return undefined;
  const log = getLogFile(file);
  return {
    reason: `${file} lacks ${log}, which may contain newer records: it was copied while the vault was open, or the log was deleted`,
    nextStep: `copy the log too if it still exists; to continue with what the file contains, run: touch ${quotePath(log)}`,
  };
}

const quotePath = (path: string): string => (/^[\w./@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** For a file that nothing may change: SQLite neither locks it nor creates files next to it. */
export const toImmutableUrl = (file: string): string => `${pathToFileURL(resolve(file)).href}?immutable=1`;

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
function enterWalMode(db: DatabaseSync, waitMs: number): void {
  for (const until = computeDeadline(waitMs); ; ) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (readMonotonicClock() > until || !isBusy(error)) throw error;
      sleepSync(pauseMs);
    }
  }
}

export const readPragma = (db: DatabaseSync, pragma: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
