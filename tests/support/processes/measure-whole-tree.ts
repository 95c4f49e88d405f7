import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** CPU time and memory of a program and all that it started, on Linux. */
export interface WholeTree {
  readonly code: number | null;
  readonly ms: number;
  readonly cpuMs: number;
  readonly output: string;
  /** By the name of the program that each ran. */
  readonly programs: ReadonlyMap<string, ProgramUse>;
}

interface ProgramUse {
  /** Resident memory at its highest. */
  readonly peakMb: number;
  /** As it was last seen, up to 20 ms before its end. */
  readonly cpuMs: number;
}

/** Linux reports CPU time in this many ticks per second. */
const tickMs = 10;
const pollMs = 20;

/** The program's name may contain anything, so skip past it: the rest starts with the third field. */
const readFields = (pid: number | "self"): string[] =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];

const sumTicks = (fields: readonly string[], at: number): number =>
  (Number(fields[at] ?? 0) + Number(fields[at + 1] ?? 0)) * tickMs;

/** CPU time of all children that have ended, and of theirs. */
const readEndedMs = (): number => sumTicks(readFields("self"), 13);

function findTree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      parents.set(Number(name), Number(readFields(Number(name))[1]));
    } catch {
      // It has ended.
    }
  }
  const isInTree = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isInTree(parents.get(pid)));
  return [...parents.keys()].filter(isInTree);
}

/** Must run alone in its process: it counts all children that end in between. */
export async function measureWholeTree(args: readonly string[], env: NodeJS.ProcessEnv): Promise<WholeTree> {
  const [began, before] = [performance.now(), readEndedMs()];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  const uses = new Map<number, ProgramUse & { readonly name: string }>();
  const look = (pid: number): void => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const name = basename(words.find((word) => /\.(ts|mjs)$/.test(word)) ?? "").replace(/\.\w+$/, "");
      const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
      // It has ended, and its parent has not noticed yet.
      if (peakMb > 0) uses.set(pid, { name, peakMb, cpuMs: sumTicks(readFields(pid), 11) });
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(() => findTree(child.pid ?? -1).forEach(look), pollMs);
  const [code] = await once(child, "close");
  clearInterval(timer);
  const programs = new Map<string, ProgramUse>();
  for (const { name, peakMb, cpuMs } of uses.values()) {
    const others = programs.get(name);
    programs.set(name, {
      peakMb: Math.max(peakMb, others?.peakMb ?? 0),
      cpuMs: cpuMs + (others?.cpuMs ?? 0),
    });
  }
  return {
    code: typeof code === "number" ? code : null,
    ms: performance.now() - began,
    cpuMs: readEndedMs() - before,
    output,
    programs,
  };
}
