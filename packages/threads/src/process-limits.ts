import { z } from "zod";

/** Limits of a process, passed to it as an argument. */
const limits = z.object({
  /** Resident memory of the whole process: heap, buffers, WebAssembly and native libraries. */
  maxMemoryMb: z.number(),
  maxHeapMb: z.number(),
  /** A larger young generation speeds up processes that allocate many short-lived objects. */
  maxYoungMb: z.number().optional(),
  /** CPU time rather than wall-clock time, so that a busy machine reads the same as an idle one. */
  maxTaskMs: z.number(),
});
export type ProcessLimits = Readonly<z.infer<typeof limits>>;

export const formatLimits = (given: ProcessLimits): string => JSON.stringify(given);
export const parseLimits = (text: string | undefined): ProcessLimits => limits.parse(JSON.parse(text ?? ""));

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
