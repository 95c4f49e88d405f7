import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JsonObject } from "@pdpp/contract/declaration";
import { cleanEnvironment, pdppFile } from "../cli/run-pdpp.ts";

/** Real clients of both protocol eras, over both transports. */

export const surfaces = [
  { transport: "stdio", era: "legacy" },
  { transport: "stdio", era: "modern" },
  { transport: "http", era: "legacy" },
  { transport: "http", era: "modern" },
] as const;
export type Surface = (typeof surfaces)[number];

export const modernRevision = "2026-07-28";

export interface Call {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A tool's result as received. */
export interface Result {
  readonly content: { readonly type: string; readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape there is
  readonly structuredContent: any;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
  /** The single text block. */
  readonly text: string;
}

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: { readonly properties?: Record<string, JsonObject>; readonly required?: string[] };
  readonly outputSchema?: { readonly properties?: Record<string, JsonObject> };
  readonly annotations?: Record<string, unknown>;
}

export interface Connected {
  call(tool: string, args?: object): Promise<Result>;
  follow(call: Call): Promise<Result>;
  tools(): Promise<ListedTool[]>;
  resource(uri: string): Promise<{ uri: string; mimeType?: string; text?: string; blob?: string }>;
  templates(): Promise<string[]>;
  resources(): Promise<unknown[]>;
  readonly instructions: string | undefined;
  readonly capabilities: unknown;
  readonly protocolVersion: string | undefined;
  /** The child process's stderr. */
  stderr(): string;
  close(): Promise<void>;
}

/** Serves on a free port and returns the address. */
export async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const server = createAdaptorServer({ fetch, serverOptions: { maxHeaderSize: 64 * 1024 } }) as Server;
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function connect(surface: Surface, url: string, token: string): Promise<Connected> {
  const name = { name: "test", version: "1" };
  const modern = surface.era === "modern";
  const client = modern
    ? new ModernClient(name, { versionNegotiation: { mode: { pin: modernRevision } } })
    : new LegacyClient(name);
  let stderr = "";
  if (surface.transport === "http") {
    const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
    const address = new URL("/mcp", url);
    const transport = modern ? new ModernHttp(address, options) : new LegacyHttp(address, options);
    await client.connect(transport as never);
  } else {
    const child = {
      command: process.execPath,
      args: [pdppFile, "mcp", "--provider-url", url],
      env: cleanEnvironment({ PDPP_ACCESS_TOKEN: token }) as Record<string, string>,
      stderr: "pipe" as const,
    };
    const transport = modern ? new ModernStdio(child) : new LegacyStdio(child);
    transport.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    await client.connect(transport as never);
  }
  const held = client as LegacyClient;
  // After listing tools, the client validates every result against the tool's output schema. We validate more strictly.
  const declared = new Map(
    (await held.listTools()).tools.map((tool) => [tool.name, Object.keys(tool.outputSchema?.properties ?? {})]),
  );
  const call = async (tool: string, args: object = {}): Promise<Result> => {
    const result = (await held.callTool({ name: tool, arguments: { ...args } })) as unknown as Result;
    const stray = Object.keys(result.structuredContent).filter((key) => declared.get(tool)?.includes(key) === false);
    if (stray.length > 0 && String(stray) !== "value")
      throw new Error(`${tool} returned ${stray.join(", ")}, which its output schema does not declare`);
    return { ...result, text: result.content[0]!.text };
  };
  return {
    call,
    follow: ({ tool, arguments: args }) => call(tool, args),
    tools: async () => (await held.listTools()).tools as unknown as ListedTool[],
    resource: async (uri) => (await held.readResource({ uri })).contents[0] as never,
    templates: async () =>
      (await held.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate as string),
    resources: async () => (await held.listResources()).resources,
    instructions: held.getInstructions(),
    capabilities: held.getServerCapabilities(),
    protocolVersion: modern
      ? (client as ModernClient).getNegotiatedProtocolVersion?.()
      : (held.transport as { protocolVersion?: string } | undefined)?.protocolVersion,
    stderr: () => stderr,
    close: () => held.close(),
  };
}

/** Finds the calls a text suggests: lines of the form `-> TOOL {json}` outside record text. */
export function parseOfferedCalls(text: string): Call[] {
  const calls: Call[] = [];
  let boundary: string | undefined;
  for (const line of text.split("\n")) {
    const opened = /^<<TEXT (\S+)$/.exec(line)?.[1];
    if (boundary === undefined && opened !== undefined) boundary = `${opened} TEXT>>`;
    else if (line === boundary) boundary = undefined;
    else if (boundary === undefined) {
      const [, tool, args] = /^-> (\w+) (\{.*\})$/.exec(line) ?? [];
      if (tool !== undefined) calls.push({ tool, arguments: JSON.parse(args!) });
    }
  }
  return calls;
}

/** Finds the calls that structured content suggests, at any depth. */
export function findOfferedCalls(value: unknown): Call[] {
  if (typeof value !== "object" || value === null) return [];
  const { tool, arguments: args } = value as Partial<Call>;
  if (typeof tool === "string" && typeof args === "object") return [{ tool, arguments: args }];
  return Object.values(value).flatMap(findOfferedCalls);
}

interface FoundHit {
  readonly id: string;
  readonly read?: Call;
  readonly field_path?: string;
  readonly chars?: string;
}

/** The read that a hit suggests, or the default one: by id, and by field if the hit shows only part of it. */
export function buildHitRead(hit: object): Call {
  const { id, read, field_path, chars } = hit as FoundHit;
  if (read !== undefined) return read;
  return field_path === undefined || chars === undefined
    ? { tool: "fetch", arguments: { id } }
    : { tool: "read_record_field", arguments: { id, field_path } };
}
