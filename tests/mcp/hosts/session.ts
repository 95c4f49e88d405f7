import { type CallToolResult, Client, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import { Agent, type ShownTool } from "./agent.ts";
import type { HostClass } from "./host-classes.ts";
import type { Call } from "./reading.ts";
import type { World } from "./world.ts";

/** An agent in a host of some class, connected to the hosted endpoint with a real client. */

export type Era = "2026-07-28" | "2025-11-25";

export interface Noted {
  readonly call: Call;
  readonly result: CallToolResult;
  readonly shown: string;
}

export interface Session {
  readonly agent: Agent;
  /** All that was called, with the whole results. */
  readonly noted: readonly Noted[];
  close(): Promise<void>;
}

export async function connectClient({ url, token }: World, era: Era): Promise<Client> {
  const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  return client;
}

export async function openSession(world: World, host: HostClass, era: Era): Promise<Session> {
  const client = await connectClient(world, era);
  const noted: Noted[] = [];
  const { tools } = await client.listTools();
  const agent = new Agent(tools.map(shownTool), async (call) => {
    const result = await client.callTool({ name: call.tool, arguments: call.arguments });
    const shown = host.show(result);
    noted.push({ call, result, shown });
    return shown;
  });
  return { agent, noted, close: () => client.close() };
}

/** Titles, annotations and output schemas are never shown. */
const shownTool = ({ name, description = "", inputSchema }: Tool): ShownTool =>
  ({ name, description, inputSchema }) as ShownTool;
