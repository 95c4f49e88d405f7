import type { Server } from "node:http";
import { type AddressInfo, createServer, type Socket, type Server as Sockets } from "node:net";
import { PdppError } from "@pdpp/contract/errors";

/** Listens on 127.0.0.1 and ::1, because clients disagree about which one `localhost` means. */
export const localhostName = "localhost";
const closeAfterMs = 3000;
const sweepEveryMs = 50;
/** The errors of a machine without IPv6. */
const noAddressCodes: ReadonlySet<string | undefined> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"]);

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** `accept` gets the connections instead of the server, and hands them on. */
export async function listenOn(
  server: Server,
  port: number,
  host: string,
  accept?: (socket: Socket) => void,
): Promise<Listening> {
  const createFront = (onSocket: (socket: Socket) => void): Sockets =>
    createServer({ noDelay: true, allowHalfOpen: true }, onSocket);
  const first = accept === undefined ? server : createFront(accept);
  if (host !== localhostName) {
    const at = await listen(first, port, host);
    return { port: at, close: () => closeServer(server, [first]) };
  }
  const at = await listen(first, port, "127.0.0.1");
  // Both addresses feed one server, so that connection limits count them together.
  const second = createFront(accept ?? ((socket) => server.emit("connection", socket)));
  try {
    await listen(second, at, "::1");
  } catch (error) {
    if (!(error instanceof PdppError) || !noAddressCodes.has(getErrorCode(error))) {
      await closeServer(server, [first]);
      throw error;
    }
  }
  return { port: at, close: () => closeServer(server, second.listening ? [first, second] : [first]) };
}

/** For a server whose address has to be known before it listens. */
export async function pickFreePort(host: string): Promise<number> {
  const probe = createServer();
  const port = await listen(probe, 0, host === localhostName ? "127.0.0.1" : host);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const getErrorCode = ({ cause }: Error): string | undefined =>
  cause instanceof Error && "code" in cause ? String(cause.code) : undefined;

function listen(server: Server | Sockets, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const advice =
        error.code === "EADDRINUSE" ? `port ${port} is taken; choose another with --port N` : error.message;
      const shown = host.includes(":") ? `[${host}]` : host;
      const problem = new PdppError("unavailable", `cannot listen on ${shown}:${port}: ${advice}`);
      problem.cause = error;
      reject(problem);
    };
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      resolve(getPort(server.address(), port));
    });
  });
}

const getPort = (address: string | AddressInfo | null, asked: number): number =>
  typeof address === "object" && address !== null ? address.port : asked;

/** Resolves when the connections of all listening sockets have ended. */
async function closeServer(server: Server, listening: readonly Sockets[]): Promise<void> {
  // A connection is idle once its response has been sent, and a client may keep it open.
  const sweeping = setInterval(() => server.closeIdleConnections(), sweepEveryMs);
  const forcing = setTimeout(() => server.closeAllConnections(), closeAfterMs).unref();
  const closed = listening.map((each) => new Promise((resolve) => each.close(resolve)));
  if (!listening.includes(server)) server.close();
  server.closeIdleConnections();
  await Promise.all(closed);
  clearInterval(sweeping);
  clearTimeout(forcing);
}
