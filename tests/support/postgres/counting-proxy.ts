import { createServer, connect as openSocket, type Socket } from "node:net";

/** What a client sent to PostgreSQL, as a proxy on the wire sees it. */
export interface WireTraffic {
  /** The text of each executed statement, in order, including BEGIN and COMMIT. */
  readonly statements: readonly string[];
  /** How many statements the server had to parse. */
  readonly parsed: number;
  /** How often a client began to send after the server had answered. */
  readonly roundTrips: number;
}

export interface CountingProxy {
  /** The connection URL through the proxy. */
  readonly url: string;
  /** The traffic since the last call. */
  take(): WireTraffic;
  close(): Promise<void>;
}

/** Passes connections on to a PostgreSQL server and counts statements on the way. */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let statements: string[] = [];
  let [parsed, roundTrips] = [0, 0];
  const server = createServer((client) => {
    const upstream = openSocket(Number(target.port), target.hostname);
    const names = new Map<string, string>();
    const portals = new Map<string, string>();
    let hasServerSpoken = false;
    const read = createMessageReader((type, body) => {
      if (type === "Q") {
        const texts = splitStatements(body.toString("utf8", 0, body.length - 1));
        statements.push(...texts);
        parsed += texts.length;
      } else if (type === "P") {
        const [name = "", text = ""] = readTexts(body, 2);
        names.set(name, text);
        parsed += 1;
      } else if (type === "B") {
        const [portal = "", name = ""] = readTexts(body, 2);
        portals.set(portal, names.get(name) ?? "");
      } else if (type === "E") statements.push(portals.get(readTexts(body, 1)[0] ?? "") ?? "");
    });
    client.on("data", (bytes: Buffer) => {
      if (hasServerSpoken) roundTrips += 1;
      hasServerSpoken = false;
      read(bytes);
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      hasServerSpoken = true;
      client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    take() {
      const traffic = { statements, parsed, roundTrips };
      statements = [];
      [parsed, roundTrips] = [0, 0];
      return traffic;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const splitStatements = (text: string): string[] =>
  text
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

const readTexts = (body: Buffer, count: number): string[] => body.toString("utf8").split("\u0000", count);

/** Messages have a type byte and a length; only the first, which starts the session, has no type. */
function createMessageReader(onMessage: (type: string, body: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let hasStarted = false;
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (;;) {
      const head = hasStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      if (hasStarted) onMessage(String.fromCharCode(rest[0]!), rest.subarray(5, end));
      hasStarted = true;
      rest = rest.subarray(end);
    }
  };
}
