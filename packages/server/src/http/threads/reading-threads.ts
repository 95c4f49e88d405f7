import { PdppError } from "@pdpp/contract/errors";
import { getResponseSchema, type OperationName, type Output } from "@pdpp/contract/operations";
import { startThread, type Thread } from "@pdpp/threads/thread";
import type { Disclosure } from "../../read/context.ts";
import { parseJsonAs } from "../../store/engine/json.ts";
import type { StoreLocation } from "../../store/store.ts";
import { scaleTimeLimit } from "../../time-limits.ts";
import { createFairQueue, type Permit } from "./fair-queue.ts";
import {
  createStopError,
  parseThreadAnswer,
  readState,
  type ThreadAnswer,
  type ThreadCall,
  type ThreadRequest,
} from "./thread-call.ts";

/**
 * A few threads do the heavy reads, so that the main thread stays free for its sockets. Tokens take turns at them. A read stops when
 * its client disconnects or its time is up; a thread that does not stop in time is terminated and replaced.
 */
export interface ReadingThreads {
  read<N extends OperationName>(call: ThreadCall<N>, key: string, signal: AbortSignal): Promise<EncodedAnswer<N>>;
  /** Reads the next piece of an export. */
  readPiece(call: ThreadCall<"export">, key: string, signal: AbortSignal): Promise<PieceAnswer>;
  getLoad(): { readonly busyThreads: number; readonly idleThreads: number; readonly waiting: number };
  /** Starts a thread before it is needed, which takes half a second. */
  warmUp(): void;
  /** Gives running reads a moment, then stops them. Resolves when every thread has exited and has closed its connection to the vault. */
  close(): Promise<void>;
}

export interface PieceAnswer {
  /** Whole lines of NDJSON. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly disclosures: readonly Disclosure[];
  /** The `after` of the next piece; none after the last. */
  readonly next?: string | undefined;
}

/** The answer of a reading thread. REST sends its bytes as they are; other callers decode it. */
export class EncodedAnswer<N extends OperationName> {
  readonly #name: N;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly disclosures: readonly Disclosure[];
  /** Ends its share of its token's reads. Until then it counts as one of them. */
  readonly release: () => void;

  constructor(name: N, bytes: Uint8Array<ArrayBuffer>, disclosures: readonly Disclosure[], release: () => void) {
    this.#name = name;
    this.bytes = bytes;
    this.disclosures = disclosures;
    this.release = release;
  }

  decode(): Output<N> {
    this.release();
    return parseJsonAs(getResponseSchema(this.#name), new TextDecoder().decode(this.bytes));
  }
}

export interface ThreadLimits {
  readonly threads: number;
  readonly perToken: number;
  readonly maxReadMs: number;
  /** A piece is bounded by its size. On a busy machine a thread of low priority may still need long for it. */
  readonly maxPieceMs: number;
  readonly graceMs: number;
  /** How long a thread stays without a read. One always stays, because starting takes half a second. */
  readonly idleMs: number;
}

const defaultLimits: ThreadLimits = {
  threads: 3,
  perToken: 2,
  maxReadMs: scaleTimeLimit(10_000),
  maxPieceMs: scaleTimeLimit(300_000),
  graceMs: scaleTimeLimit(3000),
  idleMs: 60_000,
};
/** Enough for one record of the maximum size in every representation it takes on its way. */
const maxHeapMb = 1024;
/** V8 lets the young generation of a busy thread grow to 64 MB and keeps it there. */
const maxYoungMb = 24;

type ReadingThread = Thread<ThreadRequest, ThreadAnswer>;
type GivenAnswer = Extract<ThreadAnswer, { bytes: unknown }>;

/** `onStarted` gets the seconds that a read waited for its thread. */
export function createReadingThreads(
  location: StoreLocation,
  limits: Partial<ThreadLimits> = {},
  onStarted?: (waitedSeconds: number) => void,
): ReadingThreads {
  const { threads, perToken, maxReadMs, maxPieceMs, graceMs, idleMs } = { ...defaultLimits, ...limits };
  const queue = createFairQueue(threads, perToken);
  const running = new Set<ReadingThread>();
  const idle: ReadingThread[] = [];
  const closing = new Set<ReadingThread>();
  const timers = new WeakMap<ReadingThread, NodeJS.Timeout>();
  const reads = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let isClosing = false;
  let waiting = 0;
  const start = (): ReadingThread => {
    const thread = startReadingThread(location);
    running.add(thread);
    void thread.exited.then(() => running.delete(thread));
    return thread;
  };
  /** Its memory, some 100 MB, goes back to the system only with the thread. */
  const closeIfIdle = (thread: ReadingThread): void => {
    const at = idle.indexOf(thread);
    if (at < 0 || running.size === 1) return;
    idle.splice(at, 1);
    running.delete(thread);
    closing.add(thread);
    void thread.close().then(() => closing.delete(thread));
  };
  const rest = (thread: ReadingThread): void => {
    idle.push(thread);
    clearTimeout(timers.get(thread));
    timers.set(thread, setTimeout(closeIfIdle, idleMs, thread).unref());
  };
  const ask = async <T>(
    call: ThreadCall,
    key: string,
    signal: AbortSignal,
    maxMs: number,
    use: (answer: GivenAnswer, permit: Permit) => T,
  ): Promise<T> => {
    if (isClosing) throw new PdppError("unavailable", "the server is shutting down; try again in a moment");
    const askedAt = performance.now();
    waiting += 1;
    const permit = await queue
      .enter(key, signal)
      .catch(() => Promise.reject(createStopError(getStopState(signal))))
      .finally(() => {
        waiting -= 1;
      });
    onStarted?.((performance.now() - askedAt) / 1000);
    try {
      const thread = idle.pop() ?? start();
      const answer = await askInTime(thread, call, signal, maxMs, graceMs).finally(() => {
        if (!thread.hasEnded()) rest(thread);
      });
      permit.releaseSlot();
      if ("bytes" in answer) return use(answer, permit);
      throw new PdppError(answer.code, answer.message, answer.details);
    } catch (error) {
      permit.release();
      throw error;
    }
  };
  const untilStopped = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, stopping.signal]);
  const track = <T>(reading: Promise<T>): Promise<T> => {
    reads.add(reading);
    const remove = () => reads.delete(reading);
    reading.then(remove, remove);
    return reading;
  };
  return {
    read: (call, key, signal) =>
      track(
        ask(
          call,
          key,
          untilStopped(signal),
          maxReadMs,
          ({ bytes, disclosures }, { release }) => new EncodedAnswer(call.name, bytes, disclosures, release),
        ),
      ),
    readPiece: (call, key, signal) =>
      track(
        ask(call, key, untilStopped(signal), maxPieceMs, (piece, { release }) => {
          release();
          return piece;
        }),
      ),
    getLoad: () => ({ busyThreads: running.size - idle.length, idleThreads: idle.length, waiting }),
    warmUp() {
      if (!isClosing && running.size === 0) idle.push(start());
    },
    async close() {
      isClosing = true;
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.allSettled(reads);
      clearTimeout(timer);
      await Promise.all([...running, ...closing].map((thread) => thread.close()));
    },
  };
}

const startReadingThread = (location: StoreLocation): ReadingThread =>
  startThread({
    module: new URL("./reading-thread.ts", import.meta.url),
    workerData: { ...location, isThread: true } satisfies StoreLocation,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungMb },
    parse: parseThreadAnswer,
  });

/** Pages give up after a while; other callers abort when their client disconnects. */
const getStopState = ({ reason }: AbortSignal): number =>
  reason instanceof DOMException && reason.name === "TimeoutError" ? readState.timedOut : readState.abandoned;

async function askInTime(
  thread: ReadingThread,
  call: ThreadCall,
  signal: AbortSignal,
  maxReadMs: number,
  graceMs: number,
): Promise<ThreadAnswer> {
  const state = new Int32Array(new SharedArrayBuffer(4));
  let grace: NodeJS.Timeout | undefined;
  const stop = (as: number): void => {
    if (Atomics.compareExchange(state, 0, readState.wanted, as) !== readState.wanted) return;
    grace = setTimeout(() => void thread.terminate(createStopError(as)), graceMs);
  };
  const abandon = () => stop(getStopState(signal));
  const timer = setTimeout(() => stop(readState.timedOut), maxReadMs);
  if (signal.aborted) abandon();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    return await thread.ask({ ...call, state });
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener("abort", abandon);
  }
}
