import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cleanEnvironment, pdppFile } from "./run-pdpp.ts";

/** Runs `pdpp read export` to the end and tells how much memory its process had at most. */
export async function exportMemory(server: {
  readonly env: Readonly<Record<string, string>>;
}): Promise<{ lines: number; bytes: number; peakMb: number; ms: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, [pdppFile, "read", "export"], {
    env: cleanEnvironment(server.env),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let peakKb = 0;
  const look = () => {
    try {
      peakKb = Math.max(
        peakKb,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0),
      );
    } catch {
      // It has ended, or this system has no /proc.
    }
  };
  const timer = setInterval(look, 100);
  let lines = 0;
  let bytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  });
  const [code] = await once(child, "close");
  clearInterval(timer);
  if (code !== 0) throw new Error(`the export ended with ${code}`);
  return { lines, bytes, peakMb: peakKb / 1024, ms: performance.now() - started };
}
