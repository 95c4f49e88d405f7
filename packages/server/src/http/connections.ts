import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { scaleTimeLimit } from "../time-limits.ts";

/**
 * Limits connections: their number, and how long one may be idle. A new connection replaces the oldest one without a
 * request, so that idle clients cannot lock others out.
 */

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Large, because a proxy is one address. */
  readonly maxPerAddress: number;
  readonly headersMs: number;
  /** At least `paceBytes` must move within this time, in the direction that is waited for. */
  readonly stalledMs: number;
  readonly paceBytes: number;
  readonly checkEveryMs: number;
}

export const defaultConnectionLimits: ConnectionLimits = {
  maxConnections: 2000,
  maxPerAddress: 1000,
  headersMs: scaleTimeLimit(15_000),
  stalledMs: scaleTimeLimit(20_000),
  paceBytes: 20_000,
  checkEveryMs: 5000,
};

interface TrackedConnection {
  readonly socket: Socket;
  exchange?: ActiveRequest | undefined;
}

interface ActiveRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  moved: { readonly bytes: number; readonly at: number };
}

/** Counts connections that have not reached the server yet, such as those in a TLS handshake. */
export interface ConnectionGate {
  admit(socket: Socket): void;
  release(socket: Socket): void;
}

export function limitConnections(server: Server, limits: ConnectionLimits): ConnectionGate {
  const held = new Map<Socket, TrackedConnection>();
  const findOldestIdle = (address: string | undefined, but: Socket): TrackedConnection | undefined => {
    for (const each of held.values()) {
      const isOfAddress = address === undefined || each.socket.remoteAddress === address;
      if (isOfAddress && each.socket !== but && each.exchange === undefined) return each;
    }
    return undefined;
  };
  const makeRoom = (count: number, most: number, address: string | undefined, socket: Socket): void => {
    if (count <= most) return;
    const victim = findOldestIdle(address, socket)?.socket ?? socket;
    held.delete(victim);
    victim.destroy();
  };
  const admit = (socket: Socket): void => {
    held.set(socket, { socket });
    socket.once("close", () => held.delete(socket));
    const address = socket.remoteAddress ?? "";
    const ofAddress = [...held.keys()].filter(({ remoteAddress }) => remoteAddress === address).length;
    makeRoom(ofAddress, limits.maxPerAddress, address, socket);
    makeRoom(held.size, limits.maxConnections, undefined, socket);
  };
  server.on("connection", admit);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const tracked = held.get(request.socket);
    if (tracked === undefined) return;
    const exchange = { request, response, moved: { bytes: countMovedBytes(request.socket), at: performance.now() } };
    tracked.exchange = exchange;
    response.once("close", () => {
      if (tracked.exchange === exchange) tracked.exchange = undefined;
    });
  });
  const timer = setInterval(() => {
    for (const { socket, exchange } of held.values()) {
      if (exchange !== undefined && isStalled(exchange, limits)) socket.destroy();
    }
  }, limits.checkEveryMs);
  timer.unref();
  server.once("close", () => clearInterval(timer));
  return { admit, release: (socket) => void held.delete(socket) };
}

/** Bytes received, and bytes that the peer has taken. */
const countMovedBytes = (socket: Socket): number => socket.bytesRead + socket.bytesWritten - socket.writableLength;

function isStalled(exchange: ActiveRequest, { stalledMs, paceBytes }: ConnectionLimits): boolean {
  const { request, moved } = exchange;
  const bytes = countMovedBytes(request.socket);
  const now = performance.now();
  if (!isPeersTurn(exchange) || bytes - moved.bytes >= paceBytes) exchange.moved = { bytes, at: now };
  return now - exchange.moved.at > stalledMs;
}

/** Whether we wait for the peer. Data that arrived but was not read yet waits for us. */
function isPeersTurn({ request, response }: ActiveRequest): boolean {
  const sends = !request.complete && request.readableLength === 0;
  return sends || request.socket.writableLength > 0 || response.writableLength > 0;
}
