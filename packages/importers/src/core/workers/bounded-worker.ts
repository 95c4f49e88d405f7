import type { ResourceLimits } from "node:worker_threads";
import { startThread, type Thread, ThreadExited } from "@pdpp/threads/thread";

/**
 * What a foreign parser does, in a thread of its own. A task that takes too long, needs too much memory or brings the thread down is
 * given up, and the next one finds a new thread. This is the only place of the importers that looks at a clock: nothing else ends a
 * parser that hangs.
 */

interface Bounds {
  /** Of processor time, so that a busy machine makes no difference to what is read. */
  readonly taskMs: number;
  /** What a thread may have of JavaScript objects. */
  readonly heapMb: number;
  /** What it may have of bytes beside them. */
  readonly bytesMb: number;
  /** Of objects that have just been made; a thread that makes many is faster with more. */
  readonly youngMb?: number;
}

/** A thread's own module, and what it may take. */
export interface WorkerOptions {
  readonly module: URL;
  readonly bounds: Bounds;
}

export type EndedCode = "too_slow" | "too_much_memory" | "crashed";

/** A task was given up. */
export class Ended extends Error {
  readonly code: EndedCode;

  constructor(code: EndedCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface BoundedWorker<Task, Answer> {
  /** Tasks are done one after the other. Fails with what the parser said, or with `Ended`. */
  run(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

const lookMs = 250;
/** Who waits for something that never comes takes no processor time. */
const patience = 6;

/** The thread is started with the first task. */
export function boundedWorker<Task, Answer>({ module, bounds }: WorkerOptions): BoundedWorker<Task, Answer> {
  const { heapMb, youngMb } = bounds;
  const resourceLimits: ResourceLimits = {
    maxOldGenerationSizeMb: heapMb,
    ...(youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }),
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
      throw used.hasEnded() ? asEnded(error) : error;
    } finally {
      stopWatching();
    }
  };
  return {
    run(task) {
      const asked = closes;
      const result = last.then(() => {
        if (asked !== closes) throw wasClosed();
        return runNow(task);
      });
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      closes += 1;
      const used = thread;
      thread = undefined;
      await used?.terminate(wasClosed());
    },
  };
}

const wasClosed = (): Ended => new Ended("crashed", "its reader was closed");

function asEnded(error: unknown): Ended {
  if (error instanceof Ended) return error;
  if (error instanceof ThreadExited) return new Ended("crashed", "its reader ended unexpectedly");
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isMemory) return new Ended("too_much_memory", "reading it takes too much memory");
  return new Ended("crashed", `its reader failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Looks after a thread while it does one task; short tasks are done before the first look. */
function watch(
  thread: Pick<Thread<unknown, unknown>, "usage">,
  { taskMs, bytesMb }: Bounds,
  end: (error: Ended) => void,
): () => void {
  const began = performance.now();
  let before: number | undefined;
  const look = async (): Promise<void> => {
    const { cpuMs: used, externalBytes: bytes } = await thread.usage();
    before ??= Math.max(0, used - (performance.now() - began));
    if (used - before > taskMs || performance.now() - began > taskMs * patience)
      end(new Ended("too_slow", `reading it takes longer than ${taskMs / 1000} s`));
    else if (bytes > bytesMb * 1_000_000) end(new Ended("too_much_memory", "reading it takes too much memory"));
  };
  // A thread that has just ended cannot be asked.
  const timer = setInterval(() => void look().catch(() => undefined), Math.min(lookMs, taskMs));
  timer.unref();
  return () => clearInterval(timer);
}
