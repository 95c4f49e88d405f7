import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createCpuCounter } from "./processes.ts";

/** An MCP server on stdio in its own process, which answers one call after the other. */
export interface StdioServer {
  readCpu(): number;
  call(message: string): Promise<unknown>;
  stop(): Promise<void>;
}

const opening = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};

export async function startStdio(args: readonly string[], env: NodeJS.ProcessEnv): Promise<StdioServer> {
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const send = (message: string): void => void child.stdin.write(`${message}\n`);
  const call: StdioServer["call"] = async (message) => {
    send(message);
    const { value } = (await lines.next()) as { value?: string };
    const { result } = JSON.parse(value ?? "{}") as { result?: { isError?: boolean } };
    if (result === undefined || result.isError) throw new Error(`${args.join(" ")} answered ${value?.slice(0, 400)}`);
    return result;
  };
  await call(JSON.stringify({ jsonrpc: "2.0", id: 0, ...opening }));
  send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  return {
    readCpu: createCpuCounter(child.pid!),
    call,
    async stop() {
      child.stdin.end();
      child.kill();
      await exited;
    },
  };
}
