import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Connections are few, so whoever holds one must use it: they are bounded in number, and one on which nothing moves is ended.
 * A new connection takes the place of the oldest one without a request, so that holding all of them keeps nobody out.
 */

export interface ConnectionLimits {
  readonly most: number;
  /** A proxy is one address, so this is a large share of all. */
  readonly mostOfAddress: number;
  /** Headers must have come by then. */
  readonly headersMs: number;
  /** Within this time at least `paceBytes` must come in or go out, whichever is waited for. */
  readonly stalledMs: number;
  readonly paceBytes: number;
  readonly checkEveryMs: number;
}

export const usualLimits: ConnectionLimits = {
  most: 2000,
  mostOfAddress: 1000,
  headersMs: 15_000,
  stalledMs: 20_000,
  paceBytes: 20_000,
  checkEveryMs: 5000,
};

interface Held {
  readonly socket: Socket;
  exchange?: Exchange | undefined;
}

/** A request under way, and when it last moved. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  moved: { readonly bytes: number; readonly at: number };
}

export function guardConnections(server: Server, limits: ConnectionLimits): void {
  const held = new Map<Socket, Held>();
  const oldestIdle = (address: string | undefined, but: Socket): Held | undefined => {
    for (const each of held.values()) {
      const isOfAddress = address === undefined || each.socket.remoteAddress === address;
      if (isOfAddress && each.socket !== but && each.exchange === undefined) return each;
    }
    return undefined;
  };
  const makeRoom = (count: number, most: number, address: string | undefined, socket: Socket): void => {
    if (count <= most) return;
    const victim = oldestIdle(address, socket)?.socket ?? socket;
    held.delete(victim);
    victim.destroy();
  };
  server.on("connection", (socket: Socket) => {
    held.set(socket, { socket });
    socket.once("close", () => held.delete(socket));
    const address = socket.remoteAddress ?? "";
    const ofAddress = [...held.keys()].filter(({ remoteAddress }) => remoteAddress === address).length;
    makeRoom(ofAddress, limits.mostOfAddress, address, socket);
    makeRoom(held.size, limits.most, undefined, socket);
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const of = held.get(request.socket);
    if (of === undefined) return;
    const exchange = { request, response, moved: { bytes: movedBytes(request.socket), at: Date.now() } };
    of.exchange = exchange;
    response.once("close", () => {
      if (of.exchange === exchange) of.exchange = undefined;
    });
  });
  const timer = setInterval(() => {
    for (const { socket, exchange } of held.values()) {
      if (exchange !== undefined && isStalled(exchange, limits)) socket.destroy();
    }
  }, limits.checkEveryMs);
  timer.unref();
  server.once("close", () => clearInterval(timer));
}

/** What has come in, and what the other side has taken. */
const movedBytes = (socket: Socket): number => socket.bytesRead + socket.bytesWritten - socket.writableLength;

function isStalled(exchange: Exchange, { stalledMs, paceBytes }: ConnectionLimits): boolean {
  const { request, moved } = exchange;
  const bytes = movedBytes(request.socket);
  const now = Date.now();
  if (!isWaitedFor(exchange) || bytes - moved.bytes >= paceBytes) exchange.moved = { bytes, at: now };
  return now - exchange.moved.at > stalledMs;
}

/** Whether it is the other side's turn. What has come in and is not read yet waits for us. */
function isWaitedFor({ request, response }: Exchange): boolean {
  const sends = !request.complete && request.readableLength === 0;
  return sends || request.socket.writableLength > 0 || response.writableLength > 0;
}
