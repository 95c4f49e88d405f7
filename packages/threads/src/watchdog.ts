import { Worker } from "node:worker_threads";
import type { WatchdogData } from "./watchdog-thread.ts";

/**
 * Ends this process when it exceeds its limits. It runs in a separate thread, because the main thread may be busy in a parser or in a
 * native library, and it works the same on every operating system.
 */
export interface Watchdog {
  /** The limits apply between these two calls. */
  begin(): void;
  end(): void;
}

export function startWatchdog(data: Omit<WatchdogData, "state">): Watchdog {
  // Odd while a task is running.
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("./watchdog-thread.ts", import.meta.url), {
    workerData: { ...data, state } satisfies WatchdogData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
  const step = (): void => {
    Atomics.add(state, 0, 1);
    Atomics.notify(state, 0);
  };
  return { begin: step, end: step };
}
