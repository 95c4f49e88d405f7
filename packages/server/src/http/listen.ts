import type { Server } from "node:http";
import { type AddressInfo, createServer, type Server as Sockets } from "node:net";
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

export async function listenOn(server: Server, port: number, host: string): Promise<Listening> {
  if (host !== localhostName) {
    const at = await listen(server, port, host);
    return { port: at, close: () => closeServer(server) };
  }
  const at = await listen(server, port, "127.0.0.1");
  // Both addresses feed one server, so that connection limits count them together.
  const second = createServer((socket) => server.emit("connection", socket));
  try {
    await listen(second, at, "::1");
  } catch (error) {
    if (!(error instanceof PdppError) || !noAddressCodes.has(getErrorCode(error))) {
      await closeServer(server);
      throw error;
    }
  }
  return {
    port: at,
    async close() {
      const closed = second.listening ? new Promise((resolve) => second.close(resolve)) : undefined;
      await closeServer(server);
      await closed;
    },
  };
}

const getErrorCode = ({ cause }: Error): string | undefined =>
  cause instanceof Error && "code" in cause ? String(cause.code) : undefined;

function listen(server: Server | Sockets, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const advice =
        error.code === "EADDRINUSE"
          ? `port ${port} is taken; choose another with --port N (npm start -- --port N)`
          : error.message;
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

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection is idle once its response has been sent, and a client may keep it open.
    const sweeping = setInterval(() => server.closeIdleConnections(), sweepEveryMs);
    server.close(() => {
      clearInterval(sweeping);
      resolve();
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), closeAfterMs).unref();
  });
}
