import { type ResourceLimits, Worker } from "node:worker_threads";
import { createCallers } from "./callers.ts";
import type { RequestMessage } from "./messages.ts";

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
  /** Answers what it was asked before, then exits. Resolves when it has exited. */
  close(): Promise<void>;
  /** Stops it wherever it is; callers that wait for an answer get the error. Resolves when it has exited. */
  terminate(error: Error): Promise<void>;
}

/** The thread exited while it was asked something, or before. */
export class ThreadExited extends Error {}

export function startThread<Request, Answer>(options: ThreadOptions<Answer>): Thread<Request, Answer> {
  const { module, workerData, resourceLimits, parse } = options;
  const worker = new Worker(module, { workerData, ...(resourceLimits === undefined ? {} : { resourceLimits }) });
  worker.unref();
  const send = (message: RequestMessage): void => {
    worker.ref();
    worker.postMessage(message);
  };
  const { ask, settle, fail, hasEnded } = createCallers<Request, Answer>({ send, onIdle: () => worker.unref(), parse });
  worker.on("message", settle);
  worker.on("error", fail);
  const exited = new Promise<void>((resolve) => {
    worker.once("exit", (code) => {
      fail(new ThreadExited(`the thread exited with code ${code}`));
      resolve();
    });
  });
  return {
    ask,
    hasEnded,
    exited,
    close() {
      if (!hasEnded()) send({ kind: "close" });
      return exited;
    },
    async terminate(error) {
      fail(error);
      await worker.terminate();
    },
  };
}
