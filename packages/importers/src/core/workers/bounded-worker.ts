import { type ResourceLimits, Worker } from "node:worker_threads";

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

export type WorkerAnswer<Answer> = { readonly answer: Answer } | { readonly fault: string };

export interface BoundedWorker<Task, Answer> {
  /** Tasks are done one after the other. Fails with what the parser said, or with `Ended`. */
  run(task: Task): Promise<Answer>;
  close(): Promise<void>;
}

const lookMs = 250;
/** Who waits for something that never comes takes no processor time. */
const patience = 6;

interface Waiting<Task, Answer> {
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** The thread is started with the first task. */
export function boundedWorker<Task, Answer>({ module, bounds }: WorkerOptions): BoundedWorker<Task, Answer> {
  const { heapMb, youngMb } = bounds;
  const resourceLimits: ResourceLimits = {
    maxOldGenerationSizeMb: heapMb,
    ...(youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb }),
  };
  const queue: Waiting<Task, Answer>[] = [];
  let worker: Worker | undefined;
  let current: Waiting<Task, Answer> | undefined;
  let stopWatching: () => void = () => undefined;

  const settle = (how: (waiting: Waiting<Task, Answer>) => void): void => {
    const waiting = current;
    current = undefined;
    stopWatching();
    worker?.unref();
    if (waiting !== undefined) how(waiting);
    next();
  };
  const giveUp = (of: Worker, error: Error): void => {
    if (of !== worker) return;
    worker = undefined;
    void of.terminate();
    settle(({ reject }) => reject(error));
  };
  const start = (): Worker => {
    const started = new Worker(module, { resourceLimits });
    started.on("message", (message: WorkerAnswer<Answer>) => {
      if (started !== worker) return;
      if ("fault" in message) settle(({ reject }) => reject(new Error(message.fault)));
      else settle(({ resolve }) => resolve(message.answer));
    });
    started.on("error", (error) => giveUp(started, asEnded(error)));
    started.on("exit", () => giveUp(started, new Ended("crashed", "its reader ended unexpectedly")));
    return started;
  };
  const next = (): void => {
    if (current !== undefined) return;
    current = queue.shift();
    if (current === undefined) return;
    const used = worker ?? start();
    worker = used;
    used.ref();
    stopWatching = watch(used, bounds, (error) => giveUp(used, error));
    used.postMessage(current.task);
  };
  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        queue.push({ task, resolve, reject });
        next();
      }),
    async close() {
      const used = worker;
      worker = undefined;
      stopWatching();
      const left = [...(current === undefined ? [] : [current]), ...queue.splice(0)];
      current = undefined;
      for (const { reject } of left) reject(new Ended("crashed", "nobody waits for it any more"));
      await used?.terminate();
    },
  };
}

function asEnded(error: unknown): Ended {
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  if (isMemory) return new Ended("too_much_memory", "reading it takes too much memory");
  return new Ended("crashed", `its reader failed: ${error instanceof Error ? error.message : String(error)}`);
}

/** Looks after a thread while it does one task; short tasks are done before the first look. */
function watch(worker: Worker, { taskMs, bytesMb }: Bounds, end: (error: Ended) => void): () => void {
  const began = performance.now();
  let before: number | undefined;
  const look = async (): Promise<void> => {
    const [{ user, system }, { external_memory: bytes }] = await Promise.all([
      worker.cpuUsage(),
      worker.getHeapStatistics(),
    ]);
    const used = (user + system) / 1000;
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
