import { setTimeout as wait } from "node:timers/promises";

/** How long the event loop was blocked at a time during some work, in milliseconds of the thread's own CPU time. */
export interface LoopDelay {
  readonly p99: number;
  readonly longest: number;
}

const readCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Measures CPU time, so a busy machine does not affect it. */
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
