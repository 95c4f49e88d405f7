import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface ProcessMeasurements {
  readonly ms: number;
  /** CPU time on all processors, up to 0.1 s before the end; 0 where the system does not report it. */
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Linux reports CPU time in this many ticks per second. */
const tickMs = 10;

/** Runs a Node program and returns its wall-clock time, CPU time and peak memory. */
export async function measureProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onOutput: (chunk: Buffer) => void = () => undefined,
): Promise<ProcessMeasurements> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let [peakKb, ticks] = [0, 0];
  const look = () => {
    try {
      // The program's name may contain anything, so skip past it: the rest starts with the third field.
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      ticks = Math.max(ticks, Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // The process has ended, or this system has no /proc.
    }
  };
  const timer = setInterval(look, 100);
  child.stdout.on("data", onOutput);
  const [code] = await once(child, "close");
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.slice(0, 3).join(" ")} ended with ${code}`);
  return { ms: performance.now() - began, cpuMs: ticks * tickMs, peakMb: peakKb / 1024 };
}
