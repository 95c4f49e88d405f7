import { setTimeout as wait } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";

/** Waiting for what another process has locked, without holding up the thread that waits. */

/** How long a read or write waits for another process. */
export const lockTimeoutMs = 20_000;
/** Shorter than the pause that long work makes between two steps, so that a waiting writer meets it. */
const retryMs = 2;

const busyCode = 5;

/** Whether SQLite says that somebody else has the lock; the lowest byte of its code says so, the others say which lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busyCode;

/** Does the work as soon as it meets no lock; past `until` it is tried once more and then given up. */
export async function retryWhileLocked<T>(until: number, work: () => T): Promise<T> {
  for (;;) {
    const isLastTry = Date.now() >= until;
    try {
      return work();
    } catch (error) {
      if (isLastTry || !isBusy(error)) throw error;
    }
    await wait(retryMs);
  }
}

/** What meets the lock of another process for too long is `unavailable`; other faults stay what they are. */
export function translateBusyError(error: unknown): unknown {
  if (!isBusy(error)) return error;
  return new PdppError(
    "unavailable",
    "another process is writing to this vault and has not finished; try again, and if it stays so, look for a pdpp that hangs",
    { retry_after_seconds: 5 },
  );
}
