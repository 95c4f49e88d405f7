import { Worker } from "node:worker_threads";
import { PdppError } from "@pdpp/contract/errors";
import { getResponseSchema, type OperationName, type Output } from "@pdpp/contract/operations";
import { type Disclosure, HandOver } from "../../read/context.ts";
import { parseJsonAs } from "../../store/engine/json.ts";
import type { StoreLocation } from "../../store/store.ts";
import { fairQueue } from "./fair-queue.ts";
import {
  ended,
  isHeavyName,
  parseThreadAnswer,
  type ThreadAnswer,
  type ThreadCall,
  type ThreadRequest,
  verdicts,
} from "./thread-call.ts";

/**
 * Heavy reads are done by a few threads, so that the one that has the sockets stays free. Tokens take turns at them. A read stops
 * when its caller has gone or its time is over; a thread that does not stop by itself is ended, and another takes its place.
 */

export interface ReadingThreads {
  /** `key` stands for whoever asks. */
  read<N extends OperationName>(call: ThreadCall<N>, key: string, signal: AbortSignal): Promise<HeavyAnswer<N>>;
  /** Starts a thread before it is needed: that takes half a second. */
  warmUp(): void;
  close(): Promise<void>;
}

/** An answer as REST sends it, so that it need not be parsed to be passed on. */
export interface EncodedAnswer {
  /** JSON. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The answer is out. Until then it counts as one of its token's. */
  end(): void;
}

export interface HeavyAnswer<N extends OperationName> extends EncodedAnswer {
  readonly disclosures: readonly Disclosure[];
  /** What a reader in this thread would have answered; ends the answer. */
  value(): Output<N>;
}

/** What a read in a thread needs beside its call. */
export interface ThreadPlace {
  readonly threads: ReadingThreads | undefined;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * Reads in this thread, or in another when the read turns out to be heavy. Every answer of a reading thread comes through here, whether
 * REST passes its bytes on or MCP and pages take its value.
 */
export async function readHereOrInThread<N extends OperationName, T>(
  { threads, key, signal }: ThreadPlace,
  call: ThreadCall<N>,
  here: () => Promise<T>,
  fromThread: (answer: HeavyAnswer<N>) => T,
): Promise<T> {
  try {
    return await here();
  } catch (error) {
    if (!(error instanceof HandOver) || threads === undefined || !isHeavyName(call.name)) throw error;
  }
  return fromThread(await threads.read(call, key, signal));
}

export interface ThreadLimits {
  readonly threads: number;
  readonly perToken: number;
  /** How long a read may take once it has begun. */
  readonly longestMs: number;
  /** How long a thread may take to notice that it is to stop. */
  readonly graceMs: number;
}

const usual: ThreadLimits = { threads: 3, perToken: 2, longestMs: 10_000, graceMs: 3000 };
/** Room for one record as long as a record may be, in the forms that it takes on its way. */
const mostHeapMb = 1024;

export function readingThreads(location: StoreLocation, limits: Partial<ThreadLimits> = {}): ReadingThreads {
  const { threads, perToken, longestMs, graceMs } = { ...usual, ...limits };
  const queue = fairQueue(threads, perToken);
  const idle: Thread[] = [];
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  const read = async <N extends OperationName>(
    call: ThreadCall<N>,
    key: string,
    signal: AbortSignal,
  ): Promise<HeavyAnswer<N>> => {
    const permit = await queue.enter(key, signal);
    try {
      const thread = idle.pop() ?? startThread(location);
      const answer = await thread.ask(call, signal, longestMs, graceMs).finally(() => {
        if (thread.isEnded()) return;
        if (closed) void thread.close();
        else idle.push(thread);
      });
      permit.freeSlot();
      if ("bytes" in answer) return heavyAnswer(call.name, answer, permit.end);
      if ("bug" in answer) throw new Error(answer.bug);
      throw new PdppError(answer.code, answer.message, answer.details);
    } catch (error) {
      permit.end();
      throw error;
    }
  };
  return {
    read(call, key, signal) {
      const reading = read(call, key, signal);
      underWay.add(reading);
      const over = () => underWay.delete(reading);
      reading.then(over, over);
      return reading;
    },
    warmUp() {
      if (!closed && idle.length === 0 && underWay.size === 0) idle.push(startThread(location));
    },
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
      await Promise.all(idle.splice(0).map((thread) => thread.close()));
    },
  };
}

function heavyAnswer<N extends OperationName>(
  name: N,
  { bytes, disclosures }: Extract<ThreadAnswer, { bytes: unknown }>,
  end: () => void,
): HeavyAnswer<N> {
  return {
    bytes,
    disclosures,
    end,
    value() {
      end();
      return parseJsonAs(getResponseSchema(name), new TextDecoder().decode(bytes));
    },
  };
}

interface Thread {
  isEnded(): boolean;
  ask(call: ThreadCall, signal: AbortSignal, longestMs: number, graceMs: number): Promise<ThreadAnswer>;
  close(): Promise<void>;
}

function startThread(location: StoreLocation): Thread {
  const worker = new Worker(new URL("./reading-thread.ts", import.meta.url), {
    workerData: { ...location, isThread: true } satisfies StoreLocation,
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  worker.unref();
  let waiting: { resolve: (answer: ThreadAnswer) => void; reject: (error: unknown) => void } | undefined;
  let over: Error | undefined;
  const end = (error: Error): void => {
    over ??= error;
    waiting?.reject(over);
    waiting = undefined;
  };
  worker.on("message", (message: unknown) => {
    try {
      waiting?.resolve(parseThreadAnswer(message));
    } catch (error) {
      waiting?.reject(error);
    }
    waiting = undefined;
  });
  worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", () => end(new Error("the reading thread ended")));
  return {
    isEnded: () => over !== undefined,
    async ask(call, signal, longestMs, graceMs) {
      if (over !== undefined) throw over;
      const verdict = new Int32Array(new SharedArrayBuffer(4));
      let last: NodeJS.Timeout | undefined;
      const stop = (as: number) => (): void => {
        if (Atomics.compareExchange(verdict, 0, verdicts.wanted, as) !== verdicts.wanted) return;
        last = setTimeout(() => {
          end(ended(as));
          void worker.terminate();
        }, graceMs);
      };
      const gone = stop(verdicts.gone);
      const late = setTimeout(stop(verdicts.tooLong), longestMs);
      if (signal.aborted) gone();
      signal.addEventListener("abort", gone, { once: true });
      worker.ref();
      try {
        return await new Promise<ThreadAnswer>((resolve, reject) => {
          waiting = { resolve, reject };
          worker.postMessage({ ...call, verdict } satisfies ThreadRequest);
        });
      } finally {
        worker.unref();
        clearTimeout(late);
        clearTimeout(last);
        signal.removeEventListener("abort", gone);
      }
    },
    async close() {
      if (over !== undefined) return;
      worker.ref();
      worker.postMessage("close");
      await new Promise((resolve) => worker.once("exit", resolve));
    },
  };
}
