import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy in front of several servers, as an operator would configure one: requests go to each in turn, with the public name of the
 * host. A server that refuses connections is skipped. A request that a server may have begun is not sent twice, its client gets 502.
 */
export interface RoundRobinProxy {
  fetch(request: Request): Promise<Response>;
  /** Replaces the servers. */
  use(urls: readonly string[]): void;
  close(): Promise<void>;
}

export async function startRoundRobinProxy(publicUrl: string, urls: readonly string[]): Promise<RoundRobinProxy> {
  let servers = urls;
  let turn = 0;
  const { host } = new URL(publicUrl);
  const forward = (from: IncomingMessage, to: ServerResponse, body: Buffer, attempts: number): void => {
    const server = servers[turn++ % servers.length];
    const fail = (): void => {
      to.writeHead(502, { "content-type": "text/plain" }).end("bad gateway");
    };
    if (server === undefined || attempts === 0) {
      fail();
      return;
    }
    const headers = { ...from.headers, host, connection: "close" };
    // A connection of its own for each request: a server that was killed leaves none behind.
    const options = { method: from.method, headers, agent: false };
    const sent = request(new URL(from.url ?? "/", server), options, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(to);
      answer.once("error", () => to.destroy());
    });
    sent.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") forward(from, to, body, attempts - 1);
      else if (to.headersSent) to.destroy();
      else fail();
    });
    sent.end(body);
  };
  const proxy = createServer(async (from, to) => {
    const chunks: Buffer[] = [];
    for await (const chunk of from) chunks.push(chunk);
    forward(from, to, Buffer.concat(chunks), servers.length);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    async fetch(asked) {
      const { pathname, search } = new URL(asked.url);
      const body = asked.body === null ? {} : { body: await asked.arrayBuffer() };
      const init = { method: asked.method, headers: asked.headers, redirect: "manual" as const, ...body };
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, init);
    },
    use(next) {
      servers = next;
    },
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
