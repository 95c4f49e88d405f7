import { answerRequests } from "@pdpp/threads/answer";

/** In a bounded process: answers each task. */
export function answerTasks<Task, Answer>(work: (task: Task) => Answer | Promise<Answer>): void {
  // The sender and the module are written together and the sender reads no hostile file, so tasks are trusted.
  const parse = (task: unknown) => task as Task;
  answerRequests({ parse, answer: work });
}
