import { parentPort, type Transferable } from "node:worker_threads";
import { wordsOf } from "../files.ts";
import type { WorkerAnswer } from "./bounded-worker.ts";

/** In a thread: answers each task with what the work gives. `moved` names bytes that need not be copied on their way. */
export function answerTasks<Task, Answer>(
  work: (task: Task) => Promise<Answer>,
  moved: (answer: Answer) => Transferable[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("this is a thread's own module");
  port.on("message", async (task: Task) => {
    try {
      const answer = await work(task);
      port.postMessage({ answer } satisfies WorkerAnswer<Answer>, moved(answer));
    } catch (error) {
      port.postMessage({ fault: wordsOf(error) } satisfies WorkerAnswer<Answer>);
    }
  });
}
