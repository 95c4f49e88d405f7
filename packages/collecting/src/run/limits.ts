import { scaleTimeLimit } from "@pdpp/server/time-limits";

const mebibyte = 1024 * 1024;

/** Resource limits of one run. */
export interface RunLimits {
  readonly heapMegabytes: number;
  /** Resident memory, checked on Linux. Buffers are outside the heap. */
  readonly memoryBytes: number;
  readonly lineBytes: number;
  readonly outputBytes: number;
  /** Files that it adds to the vault. */
  readonly blobBytes: number;
  /** Files in the run's temporary folder. */
  readonly diskBytes: number;
  readonly totalMs: number;
  /** Without any output, except while it waits for an answer. */
  readonly silenceMs: number;
  /** Between DONE and the end of the process. */
  readonly exitMs: number;
}

export const defaultLimits: RunLimits = {
  heapMegabytes: 512,
  memoryBytes: 1024 * mebibyte,
  lineBytes: 16 * mebibyte,
  outputBytes: 64 * 1024 * mebibyte,
  blobBytes: 64 * 1024 * mebibyte,
  diskBytes: 1024 * mebibyte,
  totalMs: scaleTimeLimit(12 * 3_600_000),
  silenceMs: scaleTimeLimit(10 * 60_000),
  exitMs: scaleTimeLimit(10_000),
};

/** A run was ended because it used more than it may. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";
}
