import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface Watched {
  readonly ms: number;
  /** 0 where the system does not tell. */
  readonly peakMb: number;
}

/** Runs a Node program to its end, and tells how long it took and how much memory it had at most. */
export async function watchedProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onOutput: (chunk: Buffer) => void = () => undefined,
): Promise<Watched> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let peakKb = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended, or this system has no /proc.
    }
  };
  const timer = setInterval(look, 100);
  child.stdout.on("data", onOutput);
  const [code] = await once(child, "close");
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.slice(0, 3).join(" ")} ended with ${code}`);
  return { ms: performance.now() - began, peakMb: peakKb / 1024 };
}
