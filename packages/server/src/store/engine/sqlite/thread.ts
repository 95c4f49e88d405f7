import { startThread } from "@pdpp/threads/thread";
import type { SqlValue } from "../sql.ts";
import type { Task, ThreadData } from "./thread-worker.ts";

export interface SqliteThread {
  all<T>(text: string, values: readonly SqlValue[]): Promise<T[]>;
  /** Returns a number if the task has one. */
  run(task: Exclude<Task, { kind: "all" }>): Promise<number>;
  isBroken(): boolean;
  close(): Promise<void>;
}

export function openThread(data: ThreadData): SqliteThread {
  const thread = startThread<Task, unknown>({
    module: new URL("./thread-worker.ts", import.meta.url),
    workerData: data,
    parse: (answer) => answer,
  });
  return {
    // The statement's text says what its rows hold, so only its author can name their type.
    all: <T>(text: string, values: readonly SqlValue[]) =>
      thread.ask({ kind: "all", text, values: values.map(copyBytes) }) as Promise<T[]>,
    run: async (task) => Number(await thread.ask(prepareTask(task))),
    isBroken: thread.hasEnded,
    close: thread.close,
  };
}

/** A message carries the whole buffer of a typed array, so bytes are copied into their own buffer. */
const copyBytes = (value: SqlValue): SqlValue =>
  value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;

/** Rows of plain values travel as one string, which costs a fraction of a structured clone of many small arrays. */
function prepareInsert({ kind, text, rows }: Extract<Task, { kind: "insert" }>): Task {
  if (typeof rows === "string") return { kind, text, rows };
  const isPlain = rows.every((row) => row.every(survivesJson));
  return { kind, text, rows: isPlain ? JSON.stringify(rows) : rows.map((row) => row.map(copyBytes)) };
}

const survivesJson = (value: SqlValue): boolean =>
  value === null || typeof value === "string" || (Number.isFinite(value) && !Object.is(value, -0));

function prepareTask(task: Task): Task {
  if (task.kind === "insert") return prepareInsert(task);
  return "values" in task ? { ...task, values: task.values.map(copyBytes) } : task;
}
