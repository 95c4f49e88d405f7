import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** The processor's time that this process and its ended children took. Unlike the time on the clock, it does not depend on what else the machine does. Undefined except on Linux. */
export function readCpuSeconds(): number | undefined {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    // utime, stime, cutime and cstime
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
