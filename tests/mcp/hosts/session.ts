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
  readonly client: Client;
  /** Every call with its complete result. */
  readonly noted: readonly Noted[];
  close(): Promise<void>;
}

async function connectClient({ url, token }: World, host: HostClass, era: Era): Promise<Client> {
  const mode = era === "2026-07-28" ? { pin: era } : ("legacy" as const);
  const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode } });
  const options = {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(host.resources ? {} : { fetch: rejectResources }),
  };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), options));
  return client;
}

/** In such a host, a model cannot reach resources at all. */
function rejectResources(url: string | URL, init?: RequestInit): Promise<Response> {
  if (String(init?.body).includes('"method":"resources/')) throw new Error("this host reads no resources");
  return fetch(url, init);
}

export async function openSession(world: World, host: HostClass, era: Era): Promise<Session> {
  const client = await connectClient(world, host, era);
  const noted: Noted[] = [];
  const { tools } = await client.listTools();
  const agent = new Agent(tools.map(toShownTool), async (call) => {
    const result = await client.callTool({ name: call.tool, arguments: call.arguments });
    const shown = host.show(result);
    noted.push({ call, result, shown });
    return shown;
  });
  return { agent, client, noted, close: () => client.close() };
}

/** Hosts never show titles, annotations and output schemas. */
const toShownTool = ({ name, description = "", inputSchema }: Tool): ShownTool =>
  ({ name, description, inputSchema }) as ShownTool;
