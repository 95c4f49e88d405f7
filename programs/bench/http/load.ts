import { Agent, request } from "node:http";

export interface HttpRequest {
  readonly path: string;
  /** A JSON body, which makes it a POST. */
  readonly body?: string;
}

/** A client with its own connection, as an agent's HTTP library is one. */
export interface Client {
  send(server: string, asked: HttpRequest, headers: Readonly<Record<string, string>>): Promise<Buffer>;
  close(): void;
}

const postHeaders = (body: string): Record<string, string> => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
});

export function createClient(): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send: Client["send"] = (server, asked, given) =>
    new Promise((resolve, reject) => {
      const { path, body } = asked;
      const [method, headers] = body === undefined ? ["GET", given] : ["POST", { ...given, ...postHeaders(body) }];
      const sent = request(server + path, { agent, headers, method }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const received = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve(received);
          else reject(new Error(`${path} answered ${response.statusCode}: ${received.toString().slice(0, 400)}`));
        });
      });
      // The server may close an idle connection just when it is used again.
      sent.on("error", (error) =>
        sent.reusedSocket ? send(server, asked, given).then(resolve, reject) : reject(error),
      );
      sent.end(body);
    });
  return {
    send,
    close: () => agent.destroy(),
  };
}

/** Sends `count` requests, each client one after the other. */
export async function sendRequests(
  clients: readonly Client[],
  count: number,
  send: (client: Client, n: number) => Promise<unknown>,
  shouldStop: () => boolean = () => false,
): Promise<void> {
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (next < count && !shouldStop()) {
        next += 1;
        await send(client, next - 1);
      }
    }),
  );
}
