import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { pdppFile } from "../cli/run-pdpp.ts";

/** The line that `pdpp serve --json` prints when it accepts requests. */
export interface Ready {
  readonly url: string;
  readonly demo_token?: string;
  readonly saved_to?: string;
}

export interface ServerProcess {
  readonly output: Interface;
  readonly pid: number | undefined;
  /** Resolves with exit code and signal once the process has ended, so its folder can be removed. */
  stop(signal?: NodeJS.Signals): Promise<[code: number | null, signal: NodeJS.Signals | null]>;
}

/** Starts `pdpp serve` on a free port in a child process. */
export function startServer(args: readonly string[], env: NodeJS.ProcessEnv, program = pdppFile): ServerProcess {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", ...args], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return {
    output: createInterface({ input: child.stdout }),
    pid: child.pid,
    stop: (signal) => stopProcess(child, signal),
  };
}

/** Runs `work` while a server is up; returns after the server has exited. */
export async function runWhileServing<T>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  work: (ready: Ready, pid: number) => Promise<T>,
  program = pdppFile,
): Promise<T> {
  const server = startServer(["--json", ...args], env, program);
  try {
    for await (const line of server.output) return await work(JSON.parse(line) as Ready, server.pid ?? -1);
    throw new Error("the server exited before it was ready");
  } finally {
    await server.stop();
  }
}

async function stopProcess(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }
  return [child.exitCode, child.signalCode];
}
