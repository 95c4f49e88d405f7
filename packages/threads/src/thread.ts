import { type ResourceLimits, Worker } from "node:worker_threads";
import { decodeError, parseAnswer, type RequestMessage } from "./messages.ts";

export interface ThreadOptions<Answer> {
  /** The thread's module; it calls `answerRequests`. */
  readonly module: URL;
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits;
  readonly parse: (answer: unknown) => Answer;
}

/** A worker thread that answers requests. It keeps the process alive only while it is asked something. */
export interface Thread<Request, Answer> {
  ask(request: Request): Promise<Answer>;
  hasEnded(): boolean;
  /** Resolves when it has exited, for whatever reason. */
  readonly exited: Promise<void>;
  /** How much processor time it has used, and the bytes it holds outside of the JavaScript heap. */
  usage(): Promise<{ readonly cpuMs: number; readonly externalBytes: number }>;
  /** Answers what it was asked before, then exits. Resolves when it has exited. */
  close(): Promise<void>;
  /** Stops it wherever it is; callers that wait for an answer get the error. Resolves when it has exited. */
  terminate(error: Error): Promise<void>;
}

/** The thread exited while it was asked something, or before. */
export class ThreadExited extends Error {}

interface Caller<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export function startThread<Request, Answer>(options: ThreadOptions<Answer>): Thread<Request, Answer> {
  const { module, workerData, resourceLimits, parse } = options;
  const worker = new Worker(module, { workerData, ...(resourceLimits === undefined ? {} : { resourceLimits }) });
  worker.unref();
  const callers = new Map<number, Caller<Answer>>();
  let lastId = 0;
  let ended: unknown;
  const fail = (error: unknown): void => {
    ended ??= error;
    for (const caller of callers.values()) caller.reject(ended);
    callers.clear();
  };
  const settle = (message: unknown): void => {
    const received = parseAnswer(message);
    const caller = callers.get(received.id);
    callers.delete(received.id);
    if (callers.size === 0) worker.unref();
    try {
      if (received.kind === "error") throw decodeError(received.error);
      caller?.resolve(parse(received.answer));
    } catch (error) {
      caller?.reject(error);
    }
  };
  worker.on("message", settle);
  worker.on("error", fail);
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", (code) => {
      fail(new ThreadExited(`the thread exited with code ${code}`));
      resolve();
    });
  });
  const send = (message: RequestMessage): void => {
    worker.ref();
    worker.postMessage(message);
  };
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        lastId += 1;
        callers.set(lastId, { resolve, reject });
        send({ kind: "request", id: lastId, request });
      }),
    hasEnded: () => ended !== undefined,
    exited,
    async usage() {
      const [{ user, system }, { external_memory }] = await Promise.all([
        worker.cpuUsage(),
        worker.getHeapStatistics(),
      ]);
      return { cpuMs: (user + system) / 1000, externalBytes: external_memory };
    },
    close() {
      if (ended === undefined) send({ kind: "close" });
      return exited;
    },
    async terminate(error) {
      fail(error);
      await worker.terminate();
    },
  };
}
