import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { buildMailId, buildWord } from "./crowd-vault.ts";

/**
 * The worst possible client: it sends many expensive requests at once, abandons them, does not read responses, and holds connections open.
 */

export interface CrowdTask {
  readonly url: string;
  readonly token: string;
  readonly mails: number;
}

const { url, token, mails } = workerData as CrowdTask;
const authorization = `Bearer ${token}`;
const agent = new Agent({ keepAlive: true, maxSockets: 100 });
let isOver = false;
const sockets: Socket[] = [];

/** Sends a request and, if asked to, hangs up after a while. */
function ask(path: string, hangUpMs?: number, body?: string): Promise<void> {
  return new Promise((resolve) => {
    const headers =
      body === undefined ? { authorization } : { authorization, ...mcpHeaders, "content-length": body.length };
    const asked = request(
      new URL(path, url),
      { agent, headers, method: body === undefined ? "GET" : "POST" },
      (answer) => {
        answer.resume();
        answer.once("close", resolve);
      },
    );
    asked.once("error", () => resolve());
    asked.end(body);
    if (hangUpMs !== undefined) setTimeout(() => asked.destroy(), hangUpMs);
  });
}

const mcpHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-03-26",
};

const prefixes = "b d f g h k l m n p r s t v w z"
  .split(" ")
  .map((letter) => `${letter}*`)
  .join(" ");
const search = (q: string): string => `/v1/search?streams=notes&q=${encodeURIComponent(q)}`;
const pickWords = (count: number): string => Array.from({ length: count }, (_, n) => buildWord(n * 3)).join(" ");
const batch = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "search", arguments: { query: prefixes } },
  })),
);

const deeds: readonly (() => Promise<void>)[] = [
  () => ask(search(prefixes), 150),
  () => ask(search(pickWords(300)), 150),
  () => ask(search(pickWords(4000).slice(0, 20_000))),
  () => ask("/mcp", 300, batch),
  () => ask("/v1/streams/notes/aggregate?metric=count&group_by=sender"),
  () => ask("/v1/streams/notes/aggregate?metric=count_distinct&field=sender"),
  () => ask("/v1/streams/notes/records?limit=100&count=exact&filter[amount][gte]=1"),
  () => ask("/v1/streams/notes/records?limit=100"),
  () => ask("/v1/streams/notes/records?limit=100&changes_since=beginning"),
  () => ask("/v1/export?stream=notes", 2000),
  () => ask(`/v1/streams/mails/records/${buildMailId(0)}`, 3000),
  () => ask("/v1/search?streams=mails&q=lastword", 3000),
  () => ask(`/v1/streams/mails/records/${buildMailId(0)}/field-window?field=text&q=lastword`),
];

/** Connections that send nothing, or read nothing. */
function hold(text: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(text);
  sockets.push(socket);
}

const atOnce = 48;
const stalled = mails === 0 ? 0 : 8;
const idle = 200;

for (let n = 0; n < idle; n += 1) hold("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
for (let n = 0; n < stalled; n += 1)
  hold(
    `GET /v1/streams/mails/records/${buildMailId(n % mails)} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`,
  );
let done = 0;
const workers = Array.from({ length: atOnce }, async (_, first) => {
  for (let n = first; !isOver; n += 1) {
    await deeds[n % deeds.length]?.();
    done += 1;
    await pause(5);
  }
});
parentPort?.once("message", async () => {
  isOver = true;
  agent.destroy();
  for (const socket of sockets) socket.destroy();
  await Promise.all(workers);
  parentPort?.postMessage(done);
  parentPort?.close();
});
