import { readFileSync } from "node:fs";
import { endianness } from "node:os";
import ipaddr from "ipaddr.js";

/** Who is at the other end of a connection, as far as the system tells. */

export interface PeerSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

export interface Peer {
  /** An address without its zone; IPv6 addresses of one network count as one. */
  readonly address: string;
  /** The operating system's user, for a connection from this computer; only Linux tells. */
  readonly userId: number | undefined;
}

const unknownPeer: Peer = { address: "unknown", userId: undefined };

const peers = new WeakMap<PeerSocket, Peer>();

/** Connections are looked up once. */
export function describePeer(socket: PeerSocket | undefined): Peer {
  if (socket?.remoteAddress === undefined) return unknownPeer;
  const known = peers.get(socket);
  if (known !== undefined) return known;
  if (!ipaddr.isValid(socket.remoteAddress)) return unknownPeer;
  const address = ipaddr.process(socket.remoteAddress);
  const isLocal = address.range() === "loopback";
  let userId: number | undefined | "unasked" = isLocal ? "unasked" : undefined;
  const peer = {
    // A browser uses either of the two loopback addresses.
    address: isLocal ? "loopback" : formatNetwork(address),
    /** Looked up when it is first needed: most connections are of programs with a token. */
    get userId() {
      if (userId === "unasked") userId = findUserId(socket);
      return userId;
    },
  };
  peers.set(socket, peer);
  return peer;
}

export const formatPeer = ({ address, userId }: Peer): string =>
  userId === undefined ? address : `${address} user ${userId}`;

const formatNetwork = (address: ipaddr.IPv4 | ipaddr.IPv6): string =>
  address.kind() === "ipv4"
    ? address.toString()
    : `${address.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;

/** One side of a connection in the system's table, in a comparable form. */
const formatEnd = (address: ipaddr.IPv4 | ipaddr.IPv6, port: number): string =>
  `${address.toNormalizedString()} ${port}`;

function findUserId({
  remoteAddress = "",
  remotePort = 0,
  localAddress = "",
  localPort = 0,
}: PeerSocket): number | undefined {
  if (!ipaddr.isValid(localAddress)) return undefined;
  const client = formatEnd(ipaddr.process(remoteAddress), remotePort);
  const server = formatEnd(ipaddr.process(localAddress), localPort);
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const found = findSocketUser(readTable(file), client, server);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readTable(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not Linux, or hidden from this process.
    return "";
  }
}

/** A closed connection, which belongs to nobody any more. */
const timeWait = "06";

/** The user of the client's end of a connection, in a table as in proc_net_tcp(5). */
export function findSocketUser(table: string, client: string, server: string): number | undefined {
  for (const line of table.split("\n").slice(1)) {
    const [, local = "", remote = "", state, , , , user] = line.trim().split(/\s+/);
    if (state === timeWait || parseEnd(local) !== client || parseEnd(remote) !== server) continue;
    const userId = Number(user);
    return Number.isSafeInteger(userId) ? userId : undefined;
  }
  return undefined;
}

/** Addresses are written in words of four bytes, each in the machine's byte order. */
function parseEnd(text: string): string | undefined {
  const [hex = "", port = ""] = text.split(":");
  if (!/^([0-9A-F]{8}|[0-9A-F]{32})$/i.test(hex)) return undefined;
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const inOrder = [...Buffer.from(word, "hex")];
    return endianness() === "LE" ? inOrder.reverse() : inOrder;
  });
  const address = ipaddr.fromByteArray(bytes);
  const plain = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  return formatEnd(plain, Number.parseInt(port, 16));
}
