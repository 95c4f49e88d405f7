/** Limits of a process, passed to it as an argument. */
export interface ProcessLimits {
  /** Resident memory of the whole process: heap, buffers, WebAssembly and native libraries. */
  readonly maxMemoryMb: number;
  readonly maxHeapMb: number;
  /** A larger young generation speeds up processes that allocate many short-lived objects. */
  readonly maxYoungMb?: number | undefined;
  /** CPU time rather than wall-clock time, so that a busy machine reads the same as an idle one. */
  readonly maxTaskMs: number;
}

export const formatLimits = (given: ProcessLimits): string => JSON.stringify(given);

export function parseLimits(text: string | undefined): ProcessLimits {
  const limits = JSON.parse(text ?? "") as Readonly<Record<string, unknown>>;
  const getNumber = (name: keyof ProcessLimits): number => {
    const value = limits[name];
    if (typeof value !== "number") throw new TypeError(`The limits of the process have no number ${name}.`);
    return value;
  };
  return {
    maxMemoryMb: getNumber("maxMemoryMb"),
    maxHeapMb: getNumber("maxHeapMb"),
    maxTaskMs: getNumber("maxTaskMs"),
    ...(limits.maxYoungMb === undefined ? {} : { maxYoungMb: getNumber("maxYoungMb") }),
  };
}

export type AbortReason = "too_slow" | "too_much_memory" | "crashed";

/** The watchdog prints one of these before it ends the process. */
export const abortMarks = {
  too_slow: "pdpp watchdog: time limit reached",
  too_much_memory: "pdpp watchdog: memory limit reached",
} as const;

/** From what a process printed before it ended. */
export function findAbortReason(said: string): AbortReason {
  if (said.includes(abortMarks.too_slow)) return "too_slow";
  // V8 prints this when the heap is full, Node when a buffer cannot be allocated.
  if (said.includes(abortMarks.too_much_memory) || /out of memory|Array buffer allocation failed/i.test(said))
    return "too_much_memory";
  return "crashed";
}
