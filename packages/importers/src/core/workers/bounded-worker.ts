import type { ResourceLimits } from "node:worker_threads";
import { startThread, type Thread, ThreadExited } from "@pdpp/threads/thread";

/**
 * Runs third-party parsers in a thread. A task that takes too long, uses too much memory or crashes the thread is aborted, and the next
 * task gets a new thread. This is the only clock in the importers: nothing else can stop a parser that hangs.
 */

interface Bounds {
  /** CPU time rather than wall-clock time, so that a busy machine reads the same as an idle one. */
  readonly maxTaskMs: number;
  readonly maxHeapMb: number;
  /** Memory of buffers, which the heap limit does not cover. */
  readonly maxExternalMb: number;
  /** A larger young generation speeds up threads that allocate many short-lived objects. */
  readonly maxYoungMb?: number;
}

export interface WorkerOptions {
  readonly module: URL;
  readonly bounds: Bounds;
}

export type AbortCode = "too_slow" | "too_much_memory" | "crashed";

export class TaskAborted extends Error {
  readonly code: AbortCode;

  constructor(code: AbortCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface BoundedWorker<Task, Answer> {
  /** Runs tasks one at a time. Rejects with the parser's error, or with `TaskAborted`. */
  run(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

const pollIntervalMs = 250;
/** A task that waits forever uses no CPU time, so wall-clock time is limited too: to this many times the CPU limit. */
const wallClockFactor = 6;

/** Starts its thread with the first task. */
export function createBoundedWorker<Task, Answer>({ module, bounds }: WorkerOptions): BoundedWorker<Task, Answer> {
  const { maxHeapMb, maxYoungMb } = bounds;
  const resourceLimits: ResourceLimits = {
    maxOldGenerationSizeMb: maxHeapMb,
    ...(maxYoungMb === undefined ? {} : { maxYoungGenerationSizeMb: maxYoungMb }),
  };
  // The sender and the thread's module are written together, so answers are trusted.
  const start = () => startThread<Task, Answer>({ module, resourceLimits, parse: (answer) => answer as Answer });
  let thread: Thread<Task, Answer> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closes = 0;

  const runNow = async (task: Task): Promise<Answer> => {
    if (thread?.hasEnded() !== false) thread = start();
    const used = thread;
    const stopWatching = watch(used, bounds, (error) => void used.terminate(error));
    try {
      return await used.ask(task);
    } catch (error) {
      throw used.hasEnded() ? toTaskAborted(error) : error;
    } finally {
      stopWatching();
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
      const used = thread;
      thread = undefined;
      await used?.terminate(createClosedError());
    },
  };
}

const createClosedError = (): TaskAborted => new TaskAborted("crashed", "the import was stopped");

function toTaskAborted(error: unknown): TaskAborted {
  if (error instanceof TaskAborted) return error;
  if (error instanceof ThreadExited) return new TaskAborted("crashed", "the parser exited unexpectedly");
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isMemory) return new TaskAborted("too_much_memory", "parsing uses too much memory");
  return new TaskAborted("crashed", `the parser crashed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Polls a thread's usage while it runs one task; short tasks finish before the first poll. */
function watch(
  thread: Pick<Thread<unknown, unknown>, "usage">,
  { maxTaskMs, maxExternalMb }: Bounds,
  end: (error: TaskAborted) => void,
): () => void {
  const began = performance.now();
  let before: number | undefined;
  const checkUsage = async (): Promise<void> => {
    const { cpuMs: used, externalBytes: bytes } = await thread.usage();
    before ??= Math.max(0, used - (performance.now() - began));
    if (used - before > maxTaskMs || performance.now() - began > maxTaskMs * wallClockFactor)
      end(new TaskAborted("too_slow", `parsing takes longer than ${maxTaskMs / 1000} s`));
    else if (bytes > maxExternalMb * 1_000_000) end(new TaskAborted("too_much_memory", "parsing uses too much memory"));
  };
  // Asking a thread that has just ended fails.
  const timer = setInterval(() => void checkUsage().catch(() => undefined), Math.min(pollIntervalMs, maxTaskMs));
  timer.unref();
  return () => clearInterval(timer);
}
