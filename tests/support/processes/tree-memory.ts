import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Memory of a process and everything it started, which only Linux tells to others. */
export const canMeasureTrees = process.platform === "linux";

interface TreeRun {
  readonly code: number | null;
  readonly output: string;
  /** Resident memory of all processes together, at its highest. */
  readonly peakMb: number;
  /** How many processes the program started. */
  readonly children: number;
  /** The lowest priority of any of them: 0 is normal, 19 the lowest. */
  readonly niceness: number;
}

const pageMb = 4096 / 1_000_000;
const pollMs = 20;

interface Stat {
  readonly parent: number;
  readonly rssMb: number;
  readonly nice: number;
}

function readStat(pid: number): Stat | undefined {
  try {
    // The program's name may contain anything, so skip past it: the rest starts with the third field.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return { parent: Number(fields[1]), rssMb: Number(fields[21]) * pageMb, nice: Number(fields[16]) };
  } catch {
    // It has ended.
    return undefined;
  }
}

function listTree(root: number): Map<number, Stat> {
  const all = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat !== undefined) all.set(Number(name), stat);
  }
  const isInTree = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isInTree(all.get(pid)?.parent));
  return new Map([...all].filter(([pid]) => isInTree(pid)));
}

/** Runs a Node program to its end. */
export async function measureTree(args: readonly string[], env: NodeJS.ProcessEnv): Promise<TreeRun> {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const closed = once(child, "close");
  const seen = new Set<number>();
  const nices: number[] = [];
  let peakMb = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const tree = [...listTree(child.pid ?? -1)];
    for (const [pid, { nice }] of tree) {
      seen.add(pid);
      nices.push(nice);
    }
    peakMb = Math.max(
      peakMb,
      tree.reduce((sum, [, { rssMb }]) => sum + rssMb, 0),
    );
    await wait(pollMs);
  }
  await closed;
  const niceness = Math.max(...nices);
  return { code: child.exitCode, output, peakMb, children: seen.size - 1, niceness };
}
