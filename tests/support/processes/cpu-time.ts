/** Starts a timer of this process's CPU time, in milliseconds. Unlike the clock it does not run while other processes do. */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** Below this, CPU time says more about the machine than about the work. */
const floorMs = 20;

/** How many times the CPU time grows from the small to the large work. Work that is ten times larger grows tenfold if it is linear, a hundredfold if it is quadratic. */
export async function measureGrowth(small: () => unknown, large: () => unknown): Promise<number> {
  const measure = async (work: () => unknown): Promise<number> => {
    const cpu = startCpuTimer();
    await work();
    return Math.max(floorMs, cpu());
  };
  await small();
  const before = await measure(small);
  return (await measure(large)) / before;
}
