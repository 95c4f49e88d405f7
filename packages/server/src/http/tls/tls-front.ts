import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createServer } from "node:tls";
import type { ConnectionGate } from "../connections.ts";
import type { Certificate } from "./certificate.ts";

/** The first byte of a TLS handshake. */
const handshakeByte = 0x16;

export interface TlsFront {
  /** Hands a connection to the server when its kind is known, and for TLS, when its handshake is done. */
  accept(socket: Socket): void;
  /** For new connections. */
  use(certificate: Certificate): void;
  /** Ends connections that never got to a request. */
  close(): void;
}

/**
 * Ends TLS in front of a server for plain HTTP. Plain connections to the same port reach the server too, which decides
 * by `isEncrypted` what they may do.
 */
export function createTlsFront(
  server: Server,
  { cert, key }: Certificate,
  gate: ConnectionGate,
  handshakeMs: number,
): TlsFront {
  const waiting = new Map<string, Socket>();
  const minVersion = "TLSv1.2";
  const engine = createServer({ cert, key, minVersion, ALPNProtocols: ["http/1.1"], handshakeTimeout: handshakeMs });
  const leave = (ends: string): void => {
    const socket = waiting.get(ends);
    if (socket === undefined) return;
    waiting.delete(ends);
    gate.release(socket);
  };
  engine.on("secureConnection", (secured) => {
    leave(formatEnds(secured));
    server.emit("connection", secured);
  });
  engine.on("tlsClientError", (_error, socket) => socket.destroy());
  // Node checks how long headers take from here on; this server listens nowhere itself.
  server.emit("listening");
  return {
    accept(socket) {
      const ends = formatEnds(socket);
      waiting.set(ends, socket);
      gate.admit(socket);
      const stop = () => void socket.destroy();
      socket.on("error", stop);
      socket.once("close", () => leave(ends));
      socket.setTimeout(handshakeMs, stop);
      const route = (): void => {
        const first = socket.read(1) as Buffer | null;
        if (first === null) {
          socket.once("readable", route);
          return;
        }
        socket.unshift(first);
        socket.setTimeout(0);
        socket.off("timeout", stop);
        if (first[0] === handshakeByte) {
          engine.emit("connection", socket);
          return;
        }
        socket.off("error", stop);
        leave(ends);
        server.emit("connection", socket);
      };
      route();
    },
    use: ({ cert: newCert, key: newKey }) => engine.setSecureContext({ cert: newCert, key: newKey, minVersion }),
    close() {
      for (const socket of waiting.values()) socket.destroy();
    },
  };
}

const formatEnds = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
