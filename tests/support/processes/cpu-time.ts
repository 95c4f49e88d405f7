/** Starts a timer of this process's CPU time in milliseconds. Unlike wall-clock time, it excludes other processes. */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** Below this, CPU time measures the machine rather than the work. */
const floorMs = 20;

/**
 * Returns the growth of CPU time from the small to the large input. For an input ten times larger, linear work grows tenfold and quadratic
 * work a hundredfold.
 */
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
