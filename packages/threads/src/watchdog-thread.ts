import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

export interface WatchdogData {
  readonly state: Int32Array;
  readonly maxMemoryMb: number;
  /** CPU time of one task; unlimited if missing. */
  readonly maxTaskMs?: number;
  /** Set if the process must not outlive the one that started it. A busy main thread does not notice that it has ended. */
  readonly parentPid?: number;
  /** Printed to stderr before the process is killed. */
  readonly messages: { readonly too_slow: string; readonly too_much_memory: string };
}

const { state, maxMemoryMb, maxTaskMs = Number.POSITIVE_INFINITY, parentPid, messages }: WatchdogData = workerData;
/** A process that fills memory as fast as it can gets some 50 MB further in this time. */
const pollMs = 20;
/**
 * A task that waits forever uses no CPU time, so wall-clock time is limited too: to this many times the CPU limit. It is large, because on a
 * busy machine a process of low priority gets little CPU time.
 */
const wallClockFactor = 60;

const readCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function abort(message: string): void {
  writeSync(2, `${message}\n`);
  process.kill(process.pid, "SIGKILL");
}

function watchTask(task: number): void {
  const began = performance.now();
  const before = readCpuMs();
  while (Atomics.load(state, 0) === task) {
    if (process.memoryUsage.rss() > maxMemoryMb * 1_000_000) abort(messages.too_much_memory);
    else if (readCpuMs() - before > maxTaskMs || performance.now() - began > maxTaskMs * wallClockFactor)
      abort(messages.too_slow);
    else if (parentPid !== undefined && process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
    Atomics.wait(state, 0, task, pollMs);
  }
}

// Waiting blocks this thread's event loop, which has nothing else to do.
for (;;) {
  const task = Atomics.load(state, 0);
  if (task % 2 === 0) Atomics.wait(state, 0, task);
  else watchTask(task);
}
