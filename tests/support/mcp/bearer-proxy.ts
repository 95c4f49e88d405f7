import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A proxy for clients that can send neither our token nor our tool names: it adds the token and translates the names. */
export interface BearerProxy {
  readonly url: string;
  close(): Promise<void>;
}

export async function startBearerProxy(
  target: string,
  token: string,
  names: Readonly<Record<string, string>> = {},
): Promise<BearerProxy> {
  const { hostname: host, port } = new URL(target);
  const translateNames = (written: string) =>
    Object.entries(names).reduce((all, [theirs, ours]) => all.replaceAll(theirs, ours), written);
  const server = createServer(async (incoming, outgoing) => {
    const { "transfer-encoding": _, connection: __, "mcp-name": name, ...kept } = incoming.headers;
    const body = translateNames(await text(incoming));
    const headers = {
      ...kept,
      ...(typeof name === "string" ? { "mcp-name": translateNames(name) } : {}),
      authorization: `Bearer ${token}`,
      "content-length": Buffer.byteLength(body),
    };
    const { method, url: path } = incoming;
    const forwarded = request({ host, port, path, method, headers }, (answer) => forwardResponse(answer, outgoing));
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function forwardResponse(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode!, answer.headers);
  answer.pipe(outgoing);
}
