import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { pdppFile } from "./run-pdpp.ts";

/** What `pdpp serve --json` says when it is ready. */
export interface Ready {
  readonly url: string;
  readonly demo_token?: string;
}

/** Serves in another process on a free port for as long as the work takes. */
export async function whileServing<T>(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  work: (ready: Ready) => Promise<T>,
): Promise<T> {
  const server = spawn(process.execPath, [pdppFile, "serve", "--json", "--port", "0", ...args], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    for await (const line of createInterface({ input: server.stdout })) return await work(JSON.parse(line) as Ready);
    throw new Error("the server ended before it was ready");
  } finally {
    server.kill("SIGTERM");
  }
}
