import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import type { Side } from "./costs.ts";
import type { Client, HttpRequest } from "./load.ts";
import { type MeasuredProcess, startProcess } from "./processes.ts";
import { type StdioServer, startStdio } from "./stdio.ts";
import { buildRecordId, connectionIds, pickNumbers, streamName } from "./vault.ts";

/** Tool calls, each next to a bare server of the MCP library with the same result, plus the same read over REST. */

export interface Comparison {
  readonly name: string;
  /** Ours first. The floor is the sum of the others. */
  readonly sides: readonly Side[];
  readonly atMost?: number;
  readonly takesManyClients: boolean;
}

interface ToolCall {
  readonly name: string;
  readonly method: string;
  readonly tool?: string;
  readonly args?: object;
  /** The read that the tool makes, with the same view and room. */
  readonly rest?: string;
  readonly atMost?: number;
}

const stream = `/v1/streams/${streamName}`;
const [connection] = connectionIds;

function listCalls(count: number): ToolCall[] {
  const [, record = 1] = pickNumbers(count, 3);
  const id = buildRecordId(record);
  return [
    { name: "tools/list", method: "tools/list" },
    {
      name: "query_records, 25",
      method: "tools/call",
      tool: "query_records",
      args: { stream: streamName, limit: 25 },
      rest: `${stream}/records?limit=25&view=evidence&max_chars=60000`,
      atMost: 1.3,
    },
    {
      name: "fetch",
      method: "tools/call",
      tool: "fetch",
      args: { id: `${connection}/${streamName}:${id}` },
      rest: `${stream}/records/${id}?connection_id=${connection}&view=document&max_chars=23000`,
      atMost: 1.3,
    },
    {
      name: "search: a rare word",
      method: "tools/call",
      tool: "search",
      args: { query: "rare" },
      rest: "/v1/search?q=rare&limit=10&view=evidence&max_chars=7000",
    },
  ];
}

const formatMessage = ({ method, tool, args = {} }: ToolCall): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method,
    params: tool === undefined ? {} : { name: tool, arguments: args },
  });

const bareServer = fileURLToPath(new URL("./bare-mcp.mjs", import.meta.url));

export interface McpComparisons {
  readonly comparisons: readonly Comparison[];
  stop(): Promise<void>;
}

/** `setupFile` is written: it has what the bare server answers. */
export async function openMcpComparisons(
  ours: MeasuredProcess,
  token: string,
  client: Client,
  count: number,
  setupFile: string,
): Promise<McpComparisons> {
  const headers = { authorization: `Bearer ${token}` };
  const calls = listCalls(count);
  const results: Record<string, unknown> = {};
  let tools: unknown;
  for (const call of calls) {
    const answer = JSON.parse((await client.send(ours.url, toRequest(call), headers)).toString()) as Answer;
    if (answer.result === undefined || answer.result.isError) throw new Error(JSON.stringify(answer).slice(0, 400));
    if (call.tool === undefined) tools = answer.result.tools;
    else results[call.tool] = answer.result;
  }
  writeFileSync(setupFile, JSON.stringify({ tools, results }));
  const reading = cleanEnvironment({ PDPP_PROVIDER_URL: ours.url, PDPP_ACCESS_TOKEN: token });
  const bare = await startProcess([bareServer, setupFile, "http"], process.env);
  const stdio = await startStdio([pdppFile, "mcp"], reading);
  const bareStdio = await startStdio([bareServer, setupFile, "stdio"], process.env);
  const overHttp = (server: MeasuredProcess, request: HttpRequest): Side => ({
    readCpu: server.readCpu,
    send: (each) => each.send(server.url, request, headers),
  });
  const overStdio = (server: StdioServer, message: string): Side => ({
    readCpu: server.readCpu,
    send: () => server.call(message),
  });
  const hosted = calls.map((call): Comparison => {
    const rest = call.rest === undefined ? [] : [overHttp(ours, { path: call.rest })];
    return {
      name: `MCP ${call.name}`,
      sides: [overHttp(ours, toRequest(call)), overHttp(bare, toRequest(call)), ...rest],
      takesManyClients: true,
      ...(call.atMost === undefined ? {} : { atMost: call.atMost }),
    };
  });
  const onStdio = calls.map((call): Comparison => {
    const message = formatMessage(call);
    return {
      name: `MCP on stdio, without the server: ${call.name}`,
      sides: [overStdio(stdio, message), overStdio(bareStdio, message)],
      takesManyClients: false,
    };
  });
  return {
    comparisons: [...hosted, ...onStdio],
    stop: async () => void (await Promise.all([bare.stop(), stdio.stop(), bareStdio.stop()])),
  };
}

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly tools?: unknown };
}

const toRequest = (call: ToolCall): HttpRequest => ({ path: "/mcp", body: formatMessage(call) });
