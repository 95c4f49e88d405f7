import { Worker } from "node:worker_threads";
import type { SqlValue } from "../sql.ts";
import type { Task, ThreadAnswer, ThreadData, ThreadError, ThreadRequest } from "./thread-worker.ts";

/** A connection in a thread of its own, as the main thread sees it. */
export interface SqliteThread {
  all<T>(text: string, values: readonly SqlValue[]): Promise<T[]>;
  /** Whatever else a thread does; answers a number where the task has one. */
  run(task: Exclude<Task, { kind: "all" }>): Promise<number>;
  /** It will never answer again. */
  isBroken(): boolean;
  close(): Promise<void>;
}

export function openThread(data: ThreadData): SqliteThread {
  const worker = new Worker(new URL("./thread-worker.ts", import.meta.url), { workerData: data });
  worker.unref();
  const pending = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  worker.on("message", (answer: ThreadAnswer) => {
    const caller = pending.get(answer.id);
    pending.delete(answer.id);
    if (pending.size === 0) worker.unref();
    if ("fault" in answer) caller?.reject(deserializeError(answer.fault));
    else caller?.resolve(answer.value as never);
  });
  let broken: Error | undefined;
  const giveUp = (error: Error) => {
    broken ??= error;
    for (const caller of pending.values()) caller.reject(broken);
    pending.clear();
  };
  worker.on("error", (error) => giveUp(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => giveUp(new Error("the database's thread ended")));
  const call = <T>(task: Task): Promise<T> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(broken);
      lastId += 1;
      pending.set(lastId, { resolve, reject });
      worker.ref();
      worker.postMessage({ id: lastId, task } satisfies ThreadRequest);
    });
  return {
    all: (text, values) => call({ kind: "all", text, values: values.map(copyBytes) }),
    run: (task) => call(prepareTask(task)),
    isBroken: () => broken !== undefined,
    async close() {
      if (broken) return;
      worker.ref();
      worker.postMessage("close" satisfies ThreadRequest);
      await new Promise((resolve) => worker.once("exit", resolve));
    },
  };
}

/** Bytes are sent with all of the memory they stand in, so they get one of their own. */
const copyBytes = (value: SqlValue): SqlValue =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;

function prepareTask(task: Task): Task {
  if (task.kind === "insert") return { ...task, rows: task.rows.map((row) => row.map(copyBytes)) };
  return "values" in task ? { ...task, values: task.values.map(copyBytes) } : task;
}

/** As if it had been thrown in this thread. */
const deserializeError = ({ message, errcode }: ThreadError): Error =>
  Object.assign(new Error(message), errcode === undefined ? {} : { code: "ERR_SQLITE_ERROR", errcode });
