import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConnectorChild } from "./child.ts";
import { LimitExceeded, type RunLimits } from "./limits.ts";

const memoryCheckMs = 50;
/** The disk is checked once in this many checks. */
const diskCheckInterval = 20;

export interface Watch {
  /** The connector has sent something, or we have taken what it sent. */
  noteActivity(): void;
  /** While true, silence is expected: we are storing, or it waits for an answer. */
  setPaused(isPaused: boolean): void;
  stop(): void;
}

/** Calls `onExceeded` once if the run uses more than it may. */
export function watchRun(child: ConnectorChild, limits: RunLimits, onExceeded: (error: LimitExceeded) => void): Watch {
  const startedAt = performance.now();
  let activeAt = startedAt;
  let isPaused = false;
  let checks = 0;
  const findExcess = (): string | undefined => {
    const now = performance.now();
    if (isPaused) activeAt = now;
    if (now - startedAt > limits.totalMs) return `ran for more than ${limits.totalMs / 1000} s`;
    if (now - activeAt > limits.silenceMs) return `sent nothing for ${limits.silenceMs / 1000} s`;
    if (readMemory(child.process.pid) > limits.memoryBytes)
      return `used more than ${limits.memoryBytes} bytes of memory`;
    checks += 1;
    const isDiskChecked = checks % diskCheckInterval === 0;
    if (isDiskChecked && measureFolder(child.temporaryFolder, limits.diskBytes) > limits.diskBytes)
      return `wrote more than ${limits.diskBytes} bytes of temporary files`;
    return undefined;
  };
  const timer = setInterval(() => {
    const excess = findExcess();
    if (excess === undefined) return;
    clearInterval(timer);
    onExceeded(new LimitExceeded(`the connector ${excess}`));
  }, memoryCheckMs);
  return {
    noteActivity() {
      activeAt = performance.now();
    },
    setPaused(paused) {
      isPaused = paused;
    },
    stop: () => clearInterval(timer),
  };
}

/** The resident memory of a process in bytes; 0 where the system does not say. */
function readMemory(pid: number | undefined): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const maxEntries = 2000;

/** The size of its files. Stops counting beyond the limit; a folder with too many files counts as too large. */
function measureFolder(folder: string, limit: number): number {
  const folders = [folder];
  let size = 0;
  let entries = 0;
  for (let at = folders.pop(); at !== undefined && size <= limit; at = folders.pop()) {
    try {
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        entries += 1;
        if (entries > maxEntries) return limit + 1;
        const path = join(at, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else size += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      }
    } catch {
      // Removed by the connector in between.
    }
  }
  return size;
}
