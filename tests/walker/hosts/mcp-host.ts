import type { Answer, LoadedVault } from "../../model/loaded-vault.ts";
import { readText } from "../../model/loaded-vault.ts";
import type { Back } from "../results/back.ts";

/** A tool call as a program sends it. */
export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Leads back to earlier text. */
  readonly back?: Back;
  /** Offered by a window, so there is text. */
  readonly toText?: boolean;
}

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
}

export interface Exchange {
  readonly call: Call;
  readonly sent: string;
  readonly answer: Answer;
  readonly result: ToolResult | undefined;
}

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

async function rpc(vault: LoadedVault, token: string, method: string, params: object): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return vault.get(token, "/mcp", { method: "POST", headers, body });
}

/** Makes one tool call over the hosted endpoint, in process. */
export async function callTool(vault: LoadedVault, token: string, call: Call): Promise<Exchange> {
  const params = { name: call.tool, arguments: call.arguments };
  const answer = await rpc(vault, token, "tools/call", params);
  const { result } = parseMessage(answer) as { result?: ToolResult };
  return { call, sent: JSON.stringify(params), answer, result };
}

/** The message in a response, which older protocol revisions send as an event. */
export function parseMessage(answer: Answer): Record<string, unknown> {
  const text = readText(answer);
  // Not a regular expression, which would end the line at U+2028.
  const event = text.split("\n").find((line) => line.startsWith("data: "));
  return JSON.parse(event?.slice(6) ?? text) as Record<string, unknown>;
}
