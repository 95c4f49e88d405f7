import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { SqlValue } from "../sql.ts";
import { openConnection, type SqliteConnection } from "./connection.ts";
import { emptyLog, givePagesBack } from "./files.ts";
import { patienceMs, patiently } from "./patience.ts";

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
export type ThreadRequest = { readonly id: number; readonly task: Task } | "close";
export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: ThreadFault };
export interface ThreadFault {
  readonly message: string;
  /** Of SQLite. */
  readonly errcode?: number;
}

const { file, mode }: ThreadData = workerData;
const port = parentPort;
if (port === null) throw new Error("this is a thread's own module");
let connection: SqliteConnection | undefined;

/** A writer waits for the locks of others by `patiently`; a reader meets one so rarely that its thread may stand still. */
function opened(): SqliteConnection {
  connection ??= openConnection(file, mode, mode === "write" ? 0 : patienceMs);
  return connection;
}

/** What a transaction says comes behind its beginning; when that failed, it must not be done outside of any. */
function inTransaction(): SqliteConnection {
  const on = opened();
  if (mode === "write" && !on.db.isTransaction) throw new Error("the transaction did not begin");
  return on;
}

let beganAt = 0;
let freeAt = 0;
const longestGapMs = 4;

/** Whoever writes one thing after the other leaves the lock alone for a tenth of the time, so that other processes get it too. */
async function begin(until: number): Promise<void> {
  const gap = freeAt - performance.now();
  if (gap >= 1) await wait(gap);
  await patiently(until, () => opened().db.exec("BEGIN IMMEDIATE"));
  beganAt = performance.now();
}

function run(text: string, values: readonly SqlValue[]): number {
  const on = inTransaction();
  const changes = on.run(text, values);
  if (!on.db.isTransaction) {
    const now = performance.now();
    freeAt = now + Math.min(longestGapMs, (now - beganAt) / 10);
  }
  return changes;
}

function done(task: Task): unknown {
  switch (task.kind) {
    case "all":
      return inTransaction().all(task.text, task.values);
    case "run":
      return run(task.text, task.values);
    case "insert":
      for (const row of task.rows) inTransaction().run(task.text, row);
      return null;
    case "begin":
      return begin(task.until);
    case "givePagesBack":
      return patiently(task.until, () => givePagesBack(opened().db));
    case "emptyLog":
      return emptyLog(opened().db);
  }
}

async function answer({ id, task }: { readonly id: number; readonly task: Task }): Promise<void> {
  try {
    const value = done(task);
    port?.postMessage({ id, value: value instanceof Promise ? await value : value } satisfies ThreadAnswer);
  } catch (error) {
    port?.postMessage({ id, fault: faultOf(error) } satisfies ThreadAnswer);
  }
}

let last: Promise<void> = Promise.resolve();

port.on("message", (message: ThreadRequest) => {
  last = last.then(() => {
    if (message !== "close") return answer(message);
    connection?.close();
    port.close();
  });
});

function faultOf(error: unknown): ThreadFault {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof Error && "errcode" in error ? { message, errcode: Number(error.errcode) } : { message };
}
