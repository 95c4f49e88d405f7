import { statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { scaleTimeLimit } from "../../../time-limits.ts";
import { createReadOnlyError, type Engine } from "../engine.ts";
import { openConnection } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import {
  computeDeadline,
  lockTimeoutMs as defaultLockTimeoutMs,
  readMonotonicClock,
  translateBusyError,
} from "./lock-wait.ts";
import { createClosedError, createPool } from "./pool.ts";
import { openLocalReader, openThreadReader } from "./readers.ts";
import { closeVaultFile, findMissingLog, openVaultFile, toImmutableUrl } from "./vault-file.ts";
import { createWatcher } from "./watch.ts";
import { createWriter } from "./writer.ts";

const readConnections = 8;
const heavyWorkers = 2;
/** A thread takes some 10 MB, and starts in less time than a heavy read takes. */
const idleThreadMs = 2000;
/** Frees the pages and statements that a busy time has left in connections. */
const idleConnectionMs = 30_000;
const threadReadConnections = 2;

export interface SqliteOptions {
  /** A log larger than this is truncated between two steps of long work. */
  readonly maxLogBytes?: number;
  /**
   * How long a read or write waits for another process, and how long `yieldToWriters` waits for readers that keep the log from
   * being truncated.
   */
  readonly lockTimeoutMs?: number;
  /** How long opening may block the thread; a caller that tries again can keep it short. */
  readonly openWaitMs?: number;
  /** How long `close` waits for running reads. */
  readonly closeWaitMs?: number;
  /** For an additional thread of a process that has opened the vault: it only reads, and runs heavy reads itself. */
  readonly isThread?: boolean;
}

export function openSqlite(file: string, options: SqliteOptions = {}): Engine {
  const { maxLogBytes: logBytes = 48 * 1024 * 1024, lockTimeoutMs = defaultLockTimeoutMs, isThread = false } = options;
  const readOnly = isThread ? undefined : findMissingLog(file);
  const source = readOnly === undefined ? file : toImmutableUrl(file);
  const held =
    isThread || readOnly !== undefined
      ? openConnection(source, "read", lockTimeoutMs)
      : openVaultFile(file, options.openWaitMs ?? lockTimeoutMs);
  const writer = createWriter(file);
  const watcher = createWatcher(source);
  const readers = createPool(
    isThread ? threadReadConnections : readConnections,
    () => openLocalReader(source),
    idleConnectionMs,
  );
  const heavy = isThread ? readers : createPool(heavyWorkers, async () => openThreadReader(source), idleThreadMs);
  let lastWrite: Promise<unknown> = Promise.resolve();
  let writesWaiting = 0;
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;

  const enqueueWrite = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(createClosedError());
    if (readOnly !== undefined) return Promise.reject(createReadOnlyError(readOnly));
    writesWaiting += 1;
    const turn = lastWrite.then(work, work).finally(() => {
      writesWaiting -= 1;
    });
    lastWrite = turn;
    return turn;
  };
  const getLogSize = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const truncateLog = (): Promise<boolean> => enqueueWrite(() => writer.truncateLog());
  /** A reader of an old state keeps the log from being truncated. If the log has become much too long, wait for the reader. */
  const shortenLog = async (): Promise<void> => {
    for (const until = computeDeadline(lockTimeoutMs); getLogSize() > logBytes; await wait(logPauseMs)) {
      if ((await truncateLog()) || getLogSize() < logOverrunFactor * logBytes || readMonotonicClock() > until) return;
    }
  };
  const yieldToWriters = async (): Promise<void> => {
    await shortenLog();
    await wait(writerPauseMs);
  };
  const scheduleIdleCheckpoint = () => {
    clearTimeout(idle);
    if (isClosed) return;
    idle = setTimeout(() => {
      if (!isClosed && writesWaiting === 0 && getLogSize() > idleLogBytes) void truncateLog().catch(() => undefined);
    }, idleMs).unref();
  };
  const read: Engine["read"] = async (work, weight = "light") => {
    if (isClosed) throw createClosedError();
    const from = weight === "heavy" ? heavy : readers;
    try {
      const reader = await from.take();
      try {
        await reader.begin();
        try {
          return await work(reader);
        } finally {
          await reader.end();
        }
      } finally {
        from.giveBack(reader);
      }
    } catch (error) {
      // A read that outlasts `close` finds its connection closed.
      throw isClosed && !(error instanceof PdppError) ? createClosedError() : translateBusyError(error);
    }
  };

  return {
    dialect: sqliteDialect,
    ...(readOnly === undefined ? {} : { readOnly }),
    readsInProcess: true,
    read,
    select: (query) => read((on) => on.all(query)),
    // A file that is open for reading only has no versions.
    ...(readOnly === undefined ? { watch: watcher.watch } : {}),
    async write(work) {
      const until = computeDeadline(lockTimeoutMs);
      try {
        return await enqueueWrite(() => writer.transaction(until, work));
      } catch (error) {
        throw translateBusyError(error);
      } finally {
        scheduleIdleCheckpoint();
      }
    },
    size: async () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) + getLogSize(),
    ready: read,
    yieldToWriters: yieldToWriters,
    async reclaimSpace() {
      try {
        while ((await enqueueWrite(() => writer.releaseFreePages(computeDeadline(lockTimeoutMs)))) > 0)
          await yieldToWriters();
        for (let n = 0; n < logAttempts && !(await truncateLog()); n += 1) await wait(logPauseMs);
      } catch (error) {
        throw translateBusyError(error);
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await lastWrite.catch(() => undefined);
      const { closeWaitMs = defaultCloseWaitMs } = options;
      await Promise.all([readers.close(closeWaitMs), heavy.close(closeWaitMs)]);
      await writer.close();
      watcher.close();
      // Last, because the last connection to close a vault truncates its log.
      if (isThread || readOnly !== undefined) held.close();
      else closeVaultFile(held, file);
    },
  };
}

const defaultCloseWaitMs = scaleTimeLimit(5000);
/** Longer than the interval at which a waiting writer of another process retries. */
const writerPauseMs = 4;
const logAttempts = 100;
const logPauseMs = 50;
const logOverrunFactor = 4;
const idleMs = 1000;
const idleLogBytes = 1024 * 1024;
