import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { cleanEnvironment, pdppFile } from "../cli/run-pdpp.ts";
import type { Place, Transport } from "./public-clients.ts";

export interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: number;
  readonly method?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** JSON-RPC without a library, as some hosts implement it. */
export interface RawClient {
  /** The response to a request; undefined for a notification. */
  send(message: { id?: number; method: string; params?: object }): Promise<Message | undefined>;
  /** The lines written to stdout. */
  readonly lines: readonly string[];
  close(): Promise<{ code: number | null; stderr: string }>;
}

export const createRawClient = (way: Transport, place: Place): RawClient =>
  way === "stdio" ? connectOverStdio(place) : connectOverHttp(place);

export function connectOverStdio({ url, token, home }: Place): RawClient {
  const env = { HOME: home, USERPROFILE: home, PDPP_PROVIDER_URL: url, PDPP_ACCESS_TOKEN: token };
  const child = spawn(process.execPath, [pdppFile, "mcp"], { env: cleanEnvironment(env) });
  const lines: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  createInterface(child.stdout).on("line", (line) => {
    lines.push(line);
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  return {
    lines,
    send(message) {
      const written = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
      child.stdin.write(written);
      if (message.id === undefined) return Promise.resolve(undefined);
      return new Promise((resolve) => waiting.set(message.id!, resolve));
    },
    async close() {
      child.stdin.end();
      const [code] = (await once(child, "exit")) as [number | null];
      return { code, stderr };
    },
  };
}

/** Sends the protocol version header once the version has been negotiated. */
export function connectOverHttp({ url, token }: Place): RawClient {
  let version: string | undefined;
  return {
    lines: [],
    async send(message) {
      const meta = (message.params as { _meta?: Record<string, string> } | undefined)?._meta;
      const modern = meta?.["io.modelcontextprotocol/protocolVersion"];
      const { name } = (message.params ?? {}) as { name?: string };
      const response = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...((modern ?? version) === undefined ? {} : { "mcp-protocol-version": (modern ?? version)! }),
          ...(modern === undefined ? {} : { "mcp-method": message.method, ...(name ? { "mcp-name": name } : {}) }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
      const text = await response.text();
      if (text === "") return undefined;
      const answer = JSON.parse(text.slice(text.indexOf("{"))) as Message;
      version ??= answer.result?.protocolVersion as string | undefined;
      return answer;
    },
    close: async () => ({ code: 0, stderr: "" }),
  };
}
