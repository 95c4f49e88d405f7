import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

/** The longest time that the event loop was blocked during some work, in milliseconds. */
export interface LoopDelay {
  readonly p99: number;
  readonly longest: number;
}

export async function measureLoopDelay(work: () => Promise<unknown>): Promise<LoopDelay> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  // The first sample starts an interval; work that never yields ends in the last one.
  await wait(20);
  try {
    await work();
    await wait(20);
  } finally {
    delays.disable();
  }
  return { p99: delays.percentile(99) / 1e6, longest: delays.max / 1e6 };
}

const readCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** The same in the thread's own CPU time, so a busy machine does not affect it. */
export async function measureLoopCpu(work: () => Promise<unknown>): Promise<LoopDelay> {
  const stretches: number[] = [];
  let before = readCpuMs();
  const timer = setInterval(() => {
    const now = readCpuMs();
    stretches.push(now - before);
    before = now;
  }, 2);
  try {
    await work();
    await wait(20);
  } finally {
    clearInterval(timer);
  }
  stretches.sort((a, b) => a - b);
  return { p99: stretches[Math.floor(stretches.length * 0.99)] ?? 0, longest: stretches.at(-1) ?? 0 };
}
