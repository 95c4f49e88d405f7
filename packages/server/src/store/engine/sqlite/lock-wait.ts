import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { scaleTimeLimit } from "../../../time-limits.ts";

/** Waiting for the locks of other processes without blocking the thread. */

export const lockTimeoutMs = scaleTimeLimit(20_000);
/** Shorter than the pause of `yieldToWriters`, so that a waiting writer gets its turn. */
const retryMs = 2;

const busyCode = 5;

/** The lowest byte of an SQLite code is the error class; the others say which lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busyCode;

/** Milliseconds of the monotonic clock, which all threads share and which cannot be set. */
export const readMonotonicClock = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** When to stop waiting for a lock, by the monotonic clock. */
export const computeDeadline = (waitMs: number = lockTimeoutMs): number => readMonotonicClock() + waitMs;

/** Retries while the database is locked; after `until`, tries once more and gives up. */
export async function retryWhileLocked<T>(until: number, work: () => T): Promise<T> {
  for (;;) {
    const isLastTry = readMonotonicClock() >= until;
    try {
      return work();
    } catch (error) {
      if (isLastTry || !isBusy(error)) throw error;
    }
    await wait(retryMs);
  }
}

/** Reports a lock timeout as `unavailable`; leaves other errors as they are. */
export function translateBusyError(error: unknown): unknown {
  if (!isBusy(error)) return error;
  return new PdppError(
    "unavailable",
    "another process is writing to this vault; try again, and if it keeps failing, look for a pdpp process that hangs",
    { retry_after_seconds: 5 },
  );
}
