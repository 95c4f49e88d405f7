import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import type { LoadedVault } from "../../model/loaded-vault.ts";
import type { Call, Exchange, ToolResult } from "./mcp-host.ts";

/** The stdio adapter as an agent starts it: another process that reads the vault over HTTP. */
export interface StdioHost {
  call(call: Call): Promise<Exchange>;
  /** Everything it wrote besides its responses. */
  log(): string;
  stop(): Promise<void>;
}

export async function startStdio(vault: LoadedVault, token: string): Promise<StdioHost> {
  const server = createServer(async (request, response) => {
    const bearer = String(request.headers.authorization ?? "").replace(/^Bearer /, "");
    const answer = await vault.get(bearer, request.url!, { method: request.method! });
    response.writeHead(answer.status, { ...answer.headers }).end(answer.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = cleanEnvironment({ PDPP_ACCESS_TOKEN: token, PDPP_PROVIDER_URL: url });
  const child = spawn(process.execPath, [pdppFile, "mcp"], { env });
  const log: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => log.push(chunk));
  const waiting = new Map<number, (line: string) => void>();
  let held = "";
  // Not readline, which would end the line at U+2028.
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (held + chunk).split("\n");
    held = lines.pop()!;
    for (const line of lines) waiting.get((JSON.parse(line) as { id: number }).id)?.(line);
  });
  let id = 0;
  const ask = (method: string, params: object): Promise<string> => {
    id += 1;
    const answered = new Promise<string>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answered;
  };
  const clientInfo = { name: "walker", version: "0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    async call(call) {
      const params = { name: call.tool, arguments: call.arguments };
      const line = await ask("tools/call", params);
      const { result } = JSON.parse(line) as { result?: ToolResult };
      const answer = { status: 200, headers: {}, bytes: Buffer.from(line) };
      return { call, sent: JSON.stringify(params), answer, result };
    },
    log: () => Buffer.concat(log).toString(),
    async stop() {
      child.kill();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
