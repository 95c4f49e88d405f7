import { Agent, request } from "node:http";

/** A client with its own connection, as an agent's HTTP library is one. */
export interface Client {
  get(url: string, headers: Readonly<Record<string, string>>): Promise<Buffer>;
  close(): void;
}

export function createClient(): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get: Client["get"] = (url, headers) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${url} answered ${response.statusCode}: ${body.toString().slice(0, 400)}`));
        });
      });
      // The server may close an idle connection just when it is used again.
      sent.on("error", (error) => (sent.reusedSocket ? get(url, headers).then(resolve, reject) : reject(error)));
      sent.end();
    });
  return {
    get,
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
