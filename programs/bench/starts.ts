import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import type { InstalledProgram } from "@pdpp/test-support/package/installed-package";
import { type Ready, startServer } from "@pdpp/test-support/processes/server-process";

/** CPU time of short commands and of starts, compared with the least that Node and the MCP library need. */

const startNames = [
  "node -e 0",
  "pdpp --version",
  "pdpp --help",
  "pdpp read search",
  "bare MCP server",
  "pdpp mcp",
  "pdpp serve",
] as const;
export type StartName = (typeof startNames)[number];

/** Limits in milliseconds, on a machine where `node -e 0` needs 24 and the bare server 128. */
const limits: Readonly<Partial<Record<StartName, number>>> = {
  "pdpp --version": 80,
  "pdpp --help": 80,
  "pdpp read search": 220,
  "pdpp mcp": 190,
  "pdpp serve": 380,
};
const [nodeMs, bareMs] = [24, 128];

export interface StartRatio {
  readonly name: StartName;
  readonly ms: number;
  /** To the bare server for `pdpp mcp`, which speaks the same protocol, and to `node -e 0` for all others. */
  readonly ratio: number;
  readonly limit: number | undefined;
}

/** Ratios, because a busy or slow machine slows down all starts. */
export function compareStarts(measured: Readonly<Record<StartName, readonly number[]>>): StartRatio[] {
  return startNames.map((name) => {
    const [base, baseMs] =
      name === "pdpp mcp" ? (["bare MCP server", bareMs] as const) : (["node -e 0", nodeMs] as const);
    const ms = getMean(measured[name]);
    const limit = limits[name];
    return { name, ms, ratio: ms / getMean(measured[base]), limit: limit === undefined ? undefined : limit / baseMs };
  });
}

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly input?: string;
  /** The line of output at which it has started; without, its end is measured. */
  readonly isReady?: (line: string) => boolean;
}

const bareServer = fileURLToPath(new URL("../../packages/mcp/bench/bare-server.mjs", import.meta.url));

const opening = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list", params: {} },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");

/** Linux reports CPU time in this many ticks per second. The mean of several runs is more precise. */
const tickMs = 10;

/** The program's name may contain anything, so skip past it: the rest starts with the third field. */
function readTicks(pid: number | "self", first: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  return (Number(fields[first]) + Number(fields[first + 1])) * tickMs;
}

const readOwnMs = (pid: number): number => readTicks(pid, 11);
const readEndedChildrenMs = (): number => readTicks("self", 13);

const isToolList = (line: string): boolean => {
  const { id, result } = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } };
  if (id === 2 && !result?.tools?.length) throw new Error(`tools/list returned ${line}`);
  return id === 2;
};

async function measureStart({ command, args, input = "", isReady }: Start, env: NodeJS.ProcessEnv): Promise<number> {
  const before = readEndedChildrenMs();
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.write(input);
  let ms: number | undefined;
  for await (const line of createInterface(child.stdout)) {
    if (ms !== undefined || !isReady?.(line)) continue;
    ms = readOwnMs(child.pid!);
    // Ends the process as hosts and service managers do; only then is the compile cache saved for the next start.
    child.stdin.end();
    if (input === "") child.kill("SIGTERM");
  }
  child.stdin.end();
  const [code] = (await exited) as [number | null];
  if (isReady === undefined && code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  if (isReady !== undefined && ms === undefined) throw new Error(`${args.join(" ")} was never ready`);
  return ms ?? readEndedChildrenMs() - before;
}

/**
 * Measures each start `runs` times, in turn, so that the machine's other work affects all. The first two starts of each do not count: they
 * fill the compile cache. Must run alone in its process: it counts all children that end.
 */
export async function measureStarts(
  { command, args, program }: Pick<InstalledProgram, "command" | "args" | "program">,
  runs: number,
): Promise<Record<StartName, number[]>> {
  const home = mkdtempSync(join(tmpdir(), "pdpp-start-"));
  const env = cleanEnvironment({ HOME: home, USERPROFILE: home, XDG_CACHE_HOME: join(home, "cache") });
  const demo = startServer(["--json", "--demo"], env, program);
  try {
    const [line] = (await once(demo.output, "line")) as [string];
    const { url, demo_token: token = "" } = JSON.parse(line) as Ready;
    const reading = { ...env, PDPP_PROVIDER_URL: url, PDPP_ACCESS_TOKEN: token };
    const pdpp = (...words: string[]) => ({ command, args: [...args, ...words] });
    const isServing = (text: string): boolean => text.includes('"url"');
    const starts: Record<StartName, Start> = {
      "node -e 0": { command: process.execPath, args: ["-e", "0"] },
      "pdpp --version": pdpp("--version"),
      "pdpp --help": pdpp("--help"),
      "pdpp read search": pdpp("read", "search", "gutter thermostat"),
      "bare MCP server": { command: process.execPath, args: [bareServer], input: opening, isReady: isToolList },
      "pdpp mcp": { ...pdpp("mcp"), input: opening, isReady: isToolList },
      "pdpp serve": {
        ...pdpp("serve", "--json", "--port", "0", "--data-dir", join(home, "vault")),
        isReady: isServing,
      },
    };
    const measured = Object.fromEntries(startNames.map((name) => [name, [] as number[]])) as Record<
      StartName,
      number[]
    >;
    for (let run = -2; run < runs; run += 1)
      for (const name of startNames) {
        const ms = await measureStart(starts[name], reading);
        if (run >= 0) measured[name].push(ms);
      }
    return measured;
  } finally {
    await demo.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const getMean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
