import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";

/** The time from the start of a process to its response to tools/list: `pdpp mcp`, and the smallest server the library allows. */

const bareServer = fileURLToPath(new URL("../../packages/mcp/bench/bare-server.mjs", import.meta.url));

const opening = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list", params: {} },
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

async function startMs(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { env: cleanEnvironment(env), stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(opening.join(""));
  for await (const line of createInterface(child.stdout)) {
    const { id, result } = JSON.parse(line) as { id: number; result?: { tools?: unknown[] } };
    if (id !== 2) continue;
    const ms = performance.now() - started;
    // Ends the process as hosts do; only then is the compile cache saved for the next start.
    child.stdin.end();
    await once(child, "exit");
    if (!result?.tools?.length) throw new Error(`tools/list returned ${line}`);
    return ms;
  }
  throw new Error("the process exited without responding");
}

export interface Starts {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

/** Alternates both, so that the machine's other work affects both. The first start of each does not count. */
export async function measureStarts(runs: number): Promise<Starts> {
  const home = mkdtempSync(join(tmpdir(), "pdpp-start-"));
  // Nothing is read before a tool is called, so no server needs to listen there.
  const env = {
    HOME: home,
    USERPROFILE: home,
    PDPP_PROVIDER_URL: "http://127.0.0.1:9",
    PDPP_ACCESS_TOKEN: "pdpp_client_only_to_start_with",
  };
  const ours: number[] = [];
  const bare: number[] = [];
  try {
    for (let run = 0; run <= runs; run += 1) {
      const [us, them] = [await startMs([pdppFile, "mcp"], env), await startMs([bareServer], env)];
      if (run === 0) continue;
      ours.push(us);
      bare.push(them);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return { ours, bare };
}
