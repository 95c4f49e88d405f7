import { setTimeout as wait } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { answerRequests } from "@pdpp/threads/answer";
import { parseStoredJson } from "../json.ts";
import type { SqlValue } from "../sql.ts";
import { openConnection, type SqliteConnection } from "./connection.ts";
import { lockTimeoutMs, retryWhileLocked } from "./lock-wait.ts";
import { releaseFreePages, truncateLog } from "./reclaim-space.ts";

/** Runs a connection in its own thread, so that long statements, locks and disks do not block the main thread. */

export interface ThreadData {
  readonly file: string;
  readonly mode: "read" | "write";
}

export type Task =
  | { readonly kind: "all" | "run"; readonly text: string; readonly values: readonly SqlValue[] }
  | { readonly kind: "insert"; readonly text: string; readonly rows: readonly (readonly SqlValue[])[] | string }
  /** `until`: when to stop waiting for the lock of another process. */
  | { readonly kind: "begin" | "releaseFreePages"; readonly until: number }
  | { readonly kind: "truncateLog" };

const { file, mode }: ThreadData = workerData;
let connection: SqliteConnection | undefined;

/** A writer retries while locked. A reader is locked out so rarely that its thread may block. */
function getConnection(): SqliteConnection {
  connection ??= openConnection(file, mode, mode === "write" ? 0 : lockTimeoutMs);
  return connection;
}

/** Statements are sent right after BEGIN. If BEGIN failed, they must not run outside of a transaction. */
function requireTransaction(): SqliteConnection {
  const on = getConnection();
  if (mode === "write" && !on.db.isTransaction) throw new Error("the transaction did not begin");
  return on;
}

let transactionStartedAt = 0;
let lockAllowedAt = 0;
const maxGapMs = 4;

/** A process that writes continuously leaves the lock free for a tenth of the time, so that other processes get it too. */
async function begin(until: number): Promise<void> {
  const gap = lockAllowedAt - performance.now();
  if (gap >= 1) await wait(gap);
  await retryWhileLocked(until, () => getConnection().db.exec("BEGIN IMMEDIATE"));
  transactionStartedAt = performance.now();
}

function run(text: string, values: readonly SqlValue[]): number {
  const on = requireTransaction();
  const changes = on.run(text, values);
  if (!on.db.isTransaction) {
    const now = performance.now();
    lockAllowedAt = now + Math.min(maxGapMs, (now - transactionStartedAt) / 10);
  }
  return changes;
}

const parseRows = (rows: readonly (readonly SqlValue[])[] | string): readonly (readonly SqlValue[])[] =>
  typeof rows === "string" ? parseStoredJson(rows) : rows;

function runTask(task: Task): unknown {
  switch (task.kind) {
    case "all":
      return requireTransaction().all(task.text, task.values);
    case "run":
      return run(task.text, task.values);
    case "insert":
      for (const row of parseRows(task.rows)) requireTransaction().run(task.text, row);
      return null;
    case "begin":
      return begin(task.until);
    case "releaseFreePages":
      return retryWhileLocked(task.until, () => releaseFreePages(getConnection().db));
    case "truncateLog":
      return truncateLog(getConnection().db);
  }
}

answerRequests({
  // Statements are not checked a second time: every write would pay for it, and the module next door is the only sender.
  parse: (task) => task as Task,
  answer: runTask,
  close: () => connection?.close(),
});
