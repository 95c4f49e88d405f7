import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import type { Place } from "../vault.ts";

/** A server in its own process, with what the kernel counts for it. */
export interface MeasuredProcess {
  readonly url: string;
  /** CPU time of all threads so far, in microseconds. */
  readCpu(): number;
  readMemory(): Memory;
  stop(): Promise<void>;
}

interface Memory {
  readonly rssMb: number;
  /** Without mapped files, such as the program itself. */
  readonly anonymousMb: number;
}

/** Starts a Node program that prints its `url` in a line of JSON when it accepts requests. */
export async function startProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = "",
): Promise<MeasuredProcess> {
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  const exited = once(child, "exit");
  const { pid } = child;
  if (pid === undefined) throw new Error("the process did not start");
  let url: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    url = (JSON.parse(line) as { url: string }).url;
    break;
  }
  if (url === undefined) throw new Error(`${args[0]} exited before it was ready`);
  return {
    url,
    readCpu: createCpuCounter(pid),
    readMemory: () => readMemory(pid),
    async stop() {
      child.kill();
      await exited;
    },
  };
}

/** Starts `pdpp serve`. */
export function startOurs({ dataDir, databaseUrl }: Place): Promise<MeasuredProcess> {
  const database = databaseUrl === undefined ? [] : ["--database-url", databaseUrl];
  const args = [pdppFile, "serve", "--json", "--port", "0", "--host", "127.0.0.1", "--data-dir", dataDir, ...database];
  // On a busy machine a read may take long without costing more.
  return startProcess(args, cleanEnvironment({ PDPP_TIME_LIMIT_FACTOR: "30" }));
}

/** Sums the threads, because only their counters have nanoseconds. What a thread did is kept after it has ended. */
export function createCpuCounter(pid: number): () => number {
  const threads = new Map<string, number>();
  return () => {
    for (const tid of readdirSync(`/proc/${pid}/task`)) {
      try {
        const [ran] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, "utf8").split(" ");
        threads.set(tid, Number(ran) / 1000);
      } catch {
        // The thread has ended.
      }
    }
    return [...threads.values()].reduce((sum, each) => sum + each, 0);
  };
}

function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const readMb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return { rssMb: readMb("VmRSS"), anonymousMb: readMb("RssAnon") };
}
