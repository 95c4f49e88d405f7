import * as v2 from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { cleanEnvironment, pdppFile } from "../cli/run-pdpp.ts";

/** Both generations of the official client, used as an agent would. */

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

export interface AgentClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<ToolResult>;
  protocolVersion(): string | undefined;
  close(): Promise<void>;
}

export interface Place {
  readonly url: string;
  readonly token: string;
  readonly home: string;
}

export const clients = ["v1", "v2, 2025 era", "v2, 2026 era"] as const;
export const transports = ["stdio", "HTTP"] as const;
export type ClientName = (typeof clients)[number];
export type Transport = (typeof transports)[number];

const describeChild = ({ url, token, home }: Place) => ({
  command: process.execPath,
  args: [pdppFile, "mcp"],
  env: cleanEnvironment({
    HOME: home,
    USERPROFILE: home,
    PDPP_PROVIDER_URL: url,
    PDPP_ACCESS_TOKEN: token,
  }) as Record<string, string>,
});
const getEndpoint = ({ url }: Place) => new URL(`${url}/mcp`);
const authorizeRequests = ({ token }: Place) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });
const about = { name: "test", version: "1.0.0" };

export async function connect(client: ClientName, way: Transport, place: Place): Promise<AgentClient> {
  if (client === "v1") {
    const one = new ClientV1(about);
    const transport =
      way === "stdio" ? new StdioV1(describeChild(place)) : new HttpV1(getEndpoint(place), authorizeRequests(place));
    await one.connect(transport as Parameters<typeof one.connect>[0]);
    const spoken = transport as { protocolVersion?: string };
    return Object.assign(one as unknown as AgentClient, { protocolVersion: () => spoken.protocolVersion });
  }
  const mode = client === "v2, 2025 era" ? "legacy" : { pin: "2026-07-28" };
  const two = new v2.Client(about, { versionNegotiation: { mode } });
  const transport =
    way === "stdio"
      ? new StdioV2(describeChild(place))
      : new v2.StreamableHTTPClientTransport(getEndpoint(place), authorizeRequests(place));
  await two.connect(transport);
  return Object.assign(two as unknown as AgentClient, { protocolVersion: () => two.getNegotiatedProtocolVersion() });
}
