import { availableParallelism } from "node:os";
import { PdppError } from "@pdpp/contract/errors";
import { getResponseSchema, type OperationName, type Output } from "@pdpp/contract/operations";
import { startThread } from "@pdpp/threads/thread";
import type { Disclosure } from "../../read/context.ts";
import { parseJsonAs } from "../../store/engine/json.ts";
import type { StoreLocation } from "../../store/store.ts";
import { scaleTimeLimit } from "../../time-limits.ts";
import type { Permit } from "./fair-queue.ts";
import { createLanes, type Lane, type LanePermit } from "./lanes.ts";
import { createReadCosts, describeRead } from "./read-costs.ts";
import type { ReadingThreadData } from "./reading-thread.ts";
import {
  createStopError,
  parseThreadAnswer,
  readState,
  type ThreadAnswer,
  type ThreadCall,
  type ThreadRequest,
} from "./thread-call.ts";
import { createThreadPool, type ReadingThread, type ThreadPool } from "./thread-pool.ts";

/**
 * A few threads do the heavy reads, so that the main thread stays free for its sockets. Short reads have a lane of their own, and tokens
 * take turns in each. A read stops when its client disconnects or it has used its time; a thread that does not stop is terminated and
 * replaced.
 */
export interface ReadingThreads {
  read<N extends OperationName>(call: ThreadCall<N>, key: string, signal: AbortSignal): Promise<EncodedAnswer<N>>;
  /** Reads the next piece of an export. */
  readPiece(call: ThreadCall<"export">, key: string, signal: AbortSignal): Promise<PieceAnswer>;
  getLoad(): { readonly busyThreads: number; readonly idleThreads: number; readonly waiting: number };
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
  /** For long reads. Short ones have a thread of their own. */
  readonly longThreads: number;
  readonly perToken: number;
  /** A read that takes more of a processor's time is long. */
  readonly maxShortMs: number;
  /** The processor's time that a read may take. Time in which a busy machine does something else does not count. */
  readonly maxCpuMs: number;
  /** For reads that wait instead of computing, such as for PostgreSQL, so it is generous. */
  readonly maxReadMs: number;
  /** A piece is bounded by its size. On a busy machine a thread of low priority may still need long for it. */
  readonly maxPieceMs: number;
  readonly graceMs: number;
  /** How long a thread stays without a read. */
  readonly idleMs: number;
}

const defaultLimits: ThreadLimits = {
  // One processor stays free for the main thread and short reads.
  longThreads: Math.min(2, Math.max(1, availableParallelism() - 1)),
  perToken: 2,
  maxShortMs: 50,
  maxCpuMs: scaleTimeLimit(10_000),
  maxReadMs: scaleTimeLimit(60_000),
  maxPieceMs: scaleTimeLimit(300_000),
  graceMs: scaleTimeLimit(3000),
  idleMs: 60_000,
};
/** Enough for one record of the maximum size in every representation it takes on its way. */
const maxHeapMb = 1024;
/** V8 lets the young generation of a busy thread grow to 64 MB and keeps it there. */
const maxYoungMb = 12;

/** A read, before it has a thread. */
interface Reading {
  readonly enter: (signal: AbortSignal) => Promise<LanePermit>;
  readonly request: Omit<ThreadRequest, "state">;
  readonly maxMs: number;
  readonly onCost?: (ms: number) => void;
}

type GivenAnswer = Extract<ThreadAnswer, { bytes: unknown }>;

export interface ThreadEvents {
  /** A read got its thread after this time. */
  readonly onStarted?: (waitedSeconds: number) => void;
  readonly onThreadEnded?: () => void;
}

export function createReadingThreads(
  location: StoreLocation,
  limits: Partial<ThreadLimits> = {},
  { onStarted, onThreadEnded = () => undefined }: ThreadEvents = {},
): ReadingThreads {
  const { maxCpuMs, maxReadMs, maxPieceMs, graceMs, idleMs, ...laneLimits } = { ...defaultLimits, ...limits };
  const costs = createReadCosts();
  const lanes = createLanes(costs, laneLimits);
  const pools: Readonly<Record<Lane, ThreadPool>> = {
    short: createThreadPool(() => startReadingThread(location, "short"), idleMs, onThreadEnded),
    long: createThreadPool(() => startReadingThread(location, "long"), idleMs, onThreadEnded),
  };
  const reads = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let isClosing = false;
  let waiting = 0;
  const ask = async <T>(
    { enter, request, maxMs, onCost }: Reading,
    callersSignal: AbortSignal,
    use: (answer: GivenAnswer, permit: Permit) => T,
  ): Promise<T> => {
    if (isClosing) throw new PdppError("unavailable", "the server is shutting down; try again in a moment");
    const signal = AbortSignal.any([callersSignal, stopping.signal]);
    const askedAt = performance.now();
    waiting += 1;
    const permit = await enter(signal)
      .catch(() => Promise.reject(createStopError(getStopState(signal))))
      .finally(() => {
        waiting -= 1;
      });
    onStarted?.((performance.now() - askedAt) / 1000);
    try {
      const pool = pools[permit.lane];
      const thread = pool.take();
      const answer = await askInTime(thread, request, signal, maxMs, graceMs).finally(() => pool.giveBack(thread));
      onCost?.(answer.costMs);
      permit.releaseSlot();
      if ("bytes" in answer) return use(answer, permit);
      throw new PdppError(answer.code, answer.message, answer.details);
    } catch (error) {
      permit.release();
      throw error;
    }
  };
  const track = <T>(reading: Promise<T>): Promise<T> => {
    reads.add(reading);
    const remove = () => reads.delete(reading);
    reading.then(remove, remove);
    return reading;
  };
  return {
    read(call, key, signal) {
      const kind = describeRead(call, key);
      const reading: Reading = {
        enter: (until) => lanes.enter(key, kind, until),
        request: { ...call, maxCpuMs },
        maxMs: maxReadMs,
        onCost: (ms) => costs.note(kind, ms),
      };
      return track(
        ask(
          reading,
          signal,
          ({ bytes, disclosures }, { release }) => new EncodedAnswer(call.name, bytes, disclosures, release),
        ),
      );
    },
    readPiece(call, key, signal) {
      const reading: Reading = {
        enter: (until) => lanes.enterLong(key, until),
        request: { ...call, maxCpuMs: maxPieceMs },
        maxMs: maxPieceMs,
      };
      return track(
        ask(reading, signal, (piece, { release }) => {
          release();
          return piece;
        }),
      );
    },
    getLoad() {
      const loads = Object.values(pools).map((pool) => pool.getLoad());
      const add = (state: "busyThreads" | "idleThreads") => loads.reduce((sum, load) => sum + load[state], 0);
      return { busyThreads: add("busyThreads"), idleThreads: add("idleThreads"), waiting };
    },
    async close() {
      isClosing = true;
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.allSettled(reads);
      clearTimeout(timer);
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

const startReadingThread = (location: StoreLocation, lane: Lane): ReadingThread =>
  startThread({
    module: new URL("./reading-thread.ts", import.meta.url),
    workerData: { location: { ...location, isThread: true }, lane } satisfies ReadingThreadData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungMb },
    parse: parseThreadAnswer,
  });

/** Pages give up after a while; other callers abort when their client disconnects. */
const getStopState = ({ reason }: AbortSignal): number =>
  reason instanceof DOMException && reason.name === "TimeoutError" ? readState.timedOut : readState.abandoned;

async function askInTime(
  thread: ReadingThread,
  request: Omit<ThreadRequest, "state">,
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
    return await thread.ask({ ...request, state });
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener("abort", abandon);
  }
}
