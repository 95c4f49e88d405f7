import type { Transferable } from "node:worker_threads";
import { answerRequests } from "@pdpp/threads/answer";

/** In a thread: answers each task. `transfer` names buffers of an answer that are moved instead of copied. */
export function answerTasks<Task, Answer>(
  work: (task: Task) => Promise<Answer>,
  transfer?: (answer: Answer) => Transferable[],
): void {
  // The sender and the thread's module are written together, so tasks are trusted.
  const parse = (task: unknown) => task as Task;
  answerRequests({ parse, answer: work, ...(transfer === undefined ? {} : { transfer }) });
}
