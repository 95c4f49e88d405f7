import { type BoundedProcess, ProcessExited, startProcess } from "@pdpp/threads/process";
import type { AbortReason, ProcessLimits } from "@pdpp/threads/process-limits";
import type { z } from "zod";

/**
 * Runs third-party parsers and SQLite in a separate process. A task that takes too long, uses too much memory or crashes the process is
 * aborted, and the next task gets a new one. This is the only clock in the importers: nothing else can stop a parser that hangs.
 */

export interface WorkerOptions {
  readonly module: URL;
  readonly bounds: ProcessLimits;
}

export class TaskAborted extends Error {
  readonly code: AbortReason;

  constructor(code: AbortReason, message: string) {
    super(message);
    this.code = code;
  }
}

export interface BoundedWorker<Task, Answer> {
  /** Runs tasks one at a time. Rejects with the parser's error, or with `TaskAborted`. */
  run(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts its process with the first task. */
export function createBoundedWorker<Task, Answer>(
  { module, bounds }: WorkerOptions,
  answer: z.ZodType<Answer>,
): BoundedWorker<Task, Answer> {
  const start = () =>
    startProcess<Task, Answer>({ module, limits: bounds, parse: (received) => answer.parse(received) });
  let used: BoundedProcess<Task, Answer> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closes = 0;

  const runNow = async (task: Task): Promise<Answer> => {
    if (used?.hasEnded() !== false) used = start();
    try {
      return await used.ask(task);
    } catch (error) {
      throw error instanceof ProcessExited ? describeAbort(error, bounds) : error;
    }
  };
  return {
    run(task) {
      const asked = closes;
      const result = last.then(() => {
        if (asked !== closes) throw createClosedError();
        return runNow(task);
      });
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      closes += 1;
      const closing = used;
      used = undefined;
      await closing?.terminate(createClosedError());
    },
  };
}

const createClosedError = (): TaskAborted => new TaskAborted("crashed", "the import was stopped");

function describeAbort({ reason, message }: ProcessExited, { maxTaskMs, maxMemoryMb }: ProcessLimits): TaskAborted {
  if (reason === "too_slow") return new TaskAborted(reason, `parsing takes longer than ${maxTaskMs / 1000} s`);
  if (reason === "too_much_memory") return new TaskAborted(reason, `parsing needs more than ${maxMemoryMb} MB`);
  return new TaskAborted(reason, message.replace(/^the process/, "the parser"));
}
