import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type Call, findWire, type Tool } from "./model-wires.ts";

/** A model that searches the vault once with an agent's own tools, and then says that it is done. */

export const prompt = "Find out who repairs the gutter.";

export interface Seen {
  /** The names of tools that the agent offered, at most those of the last request. */
  tools: string[];
  /** What the agent gave its model as the result of `search`. */
  shown: string | undefined;
}

interface ScriptedModel {
  readonly url: string;
  readonly seen: Seen;
  close(): void;
}

const vaultSearch = /pdpp.*[_.]search$/;

/** Claude Code names tools first and describes them when the model asks. */
const toolSearch = "ToolSearch";

export async function startScriptedModel(): Promise<ScriptedModel> {
  const seen: Seen = { tools: [], shown: undefined };
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const wire = findWire(path);
    if (wire === undefined || request.method !== "POST") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [], models: [], input_tokens: 1, totalTokens: 1 }));
      return;
    }
    const body = (await json(request)) as Record<string, unknown>;
    const text = JSON.stringify(body);
    const tools = wire.listTools(body);
    const reply =
      text.includes(prompt) && tools.length > 0 ? chooseReply(tools, wire.listResults(body), text, seen) : "ok";
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [event, data] of wire.buildReply(body, reply, path)) {
      if (event !== undefined) response.write(`event: ${event}\n`);
      response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, close: () => server.close() };
}

function chooseReply(tools: readonly Tool[], results: readonly unknown[], text: string, seen: Seen): Call | string {
  seen.tools = tools.map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}_${name}`));
  const index = seen.tools.findIndex((name) => vaultSearch.test(name));
  const tool = tools[index];
  const deferred = /mcp__\w*pdpp__search/.exec(text)?.[0];
  const searched = JSON.stringify(results.filter((result) => JSON.stringify(result).includes("gutter")));
  if (searched !== "[]" || results.length > 1) {
    seen.shown = searched;
    return "done";
  }
  if (tool !== undefined) return { ...tool, id: "call_search", args: { query: "gutter" } };
  if (deferred === undefined || results.length > 0 || !seen.tools.includes(toolSearch)) return "no vault";
  return { name: toolSearch, id: "call_find", args: { query: `select:${deferred}`, max_results: 5 } };
}
