import { setTimeout as wait } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { answerRequests } from "@pdpp/threads/answer";
import type { SqlValue } from "../sql.ts";
import { openConnection, type SqliteConnection } from "./connection.ts";
import { lockTimeoutMs, retryWhileLocked } from "./lock-wait.ts";
import { releaseFreePages, truncateLog } from "./reclaim-space.ts";

/** A connection in a thread of its own, so that neither a long statement nor a wait for a lock or a disk stops the main one. */

export interface ThreadData {
  readonly file: string;
  readonly mode: "read" | "write";
}

export type Task =
  | { readonly kind: "all" | "run"; readonly text: string; readonly values: readonly SqlValue[] }
  | { readonly kind: "insert"; readonly text: string; readonly rows: readonly (readonly SqlValue[])[] }
  /** What may meet the lock of another process waits for it until then. */
  | { readonly kind: "begin" | "givePagesBack"; readonly until: number }
  | { readonly kind: "emptyLog" };

const { file, mode }: ThreadData = workerData;
let connection: SqliteConnection | undefined;

/** A writer waits for the locks of others by `patiently`; a reader meets one so rarely that its thread may stand still. */
function getConnection(): SqliteConnection {
  connection ??= openConnection(file, mode, mode === "write" ? 0 : lockTimeoutMs);
  return connection;
}

/** What a transaction says comes behind its beginning; when that failed, it must not be done outside of any. */
function requireTransaction(): SqliteConnection {
  const on = getConnection();
  if (mode === "write" && !on.db.isTransaction) throw new Error("the transaction did not begin");
  return on;
}

let transactionStartedAt = 0;
let lockAllowedAt = 0;
const maxGapMs = 4;

/** Whoever writes one thing after the other leaves the lock alone for a tenth of the time, so that other processes get it too. */
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

function runTask(task: Task): unknown {
  switch (task.kind) {
    case "all":
      return requireTransaction().all(task.text, task.values);
    case "run":
      return run(task.text, task.values);
    case "insert":
      for (const row of task.rows) requireTransaction().run(task.text, row);
      return null;
    case "begin":
      return begin(task.until);
    case "givePagesBack":
      return retryWhileLocked(task.until, () => releaseFreePages(getConnection().db));
    case "emptyLog":
      return truncateLog(getConnection().db);
  }
}

answerRequests({
  // Statements are not checked a second time: every write would pay for it, and the module next door is the only sender.
  parse: (task) => task as Task,
  answer: runTask,
  close: () => connection?.close(),
});
