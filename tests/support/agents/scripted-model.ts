import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
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

/** Some agents do not wait for a server that is still starting; on a busy machine that takes a while. */
const maxWaits = 30;
const waitMs = 2000;

export async function startScriptedModel(): Promise<ScriptedModel> {
  const seen: Seen = { tools: [], shown: undefined };
  const progress: Progress = { waits: 0, hasSearched: false };
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
      text.includes(prompt) && tools.length > 0
        ? await chooseReply(tools, wire.listResults(body), text, seen, progress)
        : "ok";
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

/** What the model has done in the agent's session. */
interface Progress {
  waits: number;
  hasSearched: boolean;
}

async function chooseReply(
  tools: readonly Tool[],
  results: readonly unknown[],
  text: string,
  seen: Seen,
  progress: Progress,
): Promise<Call | string> {
  seen.tools = tools.map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}_${name}`));
  if (progress.hasSearched) {
    seen.shown = JSON.stringify(results.at(-1));
    return "done";
  }
  const tool = tools[seen.tools.findIndex((name) => vaultSearch.test(name))];
  if (tool !== undefined) {
    progress.hasSearched = true;
    return { ...tool, id: "call_search", args: { query: "gutter" } };
  }
  const deferred = /mcp__\w*pdpp__search/.exec(text)?.[0];
  const query = deferred === undefined ? "pdpp" : `select:${deferred}`;
  const pausing: Record<string, object> = { [toolSearch]: { query, max_results: 5 }, update_plan: { plan: [] } };
  const pause = tools.find(({ name }) => name in pausing);
  if (pause === undefined || progress.waits === maxWaits) return "no vault";
  progress.waits += 1;
  if (deferred === undefined) await wait(waitMs);
  return { ...pause, id: `call_wait_${progress.waits}`, args: pausing[pause.name] ?? {} };
}
