import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy that cuts connections after a random number of bytes. */
export interface DroppingProxy {
  readonly url: string;
  readonly drops: number;
  /** How likely a connection is cut. */
  rate: number;
  close(): void;
}

export async function startDroppingProxy(port: number, random: () => number): Promise<DroppingProxy> {
  const open = new Set<Socket>();
  let drops = 0;
  const server: Server = createServer((inner) => {
    const outer = connect(port, "127.0.0.1");
    const pair = [inner, outer];
    const end = (): void => {
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      open.add(socket);
      socket.on("error", end).on("close", () => {
        open.delete(socket);
        end();
      });
    }
    inner.pipe(outer);
    if (random() >= proxy.rate) return void outer.pipe(inner);
    // Within a short answer, or after several.
    let left = Math.floor(random() * random() * 12_000);
    outer.on("data", (chunk: Buffer) => {
      inner.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      drops += 1;
      end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const proxy = {
    url: `http://127.0.0.1:${address.port}/`,
    rate: 0,
    get drops() {
      return drops;
    },
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  return proxy;
}
