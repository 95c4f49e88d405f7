import { type ChildProcess, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { parseManifest } from "@pdpp/contract/manifest";
import type { OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { cleanEnvironment, pdppFile, type RunResult, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import type { Target } from "./attack.ts";

/** A vault of notes, served by a process of its own: what the attacks on reading have in common. */

export const locationOf = ({ dataDir, databaseUrl }: Target): StoreLocation => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

export async function asOwner<T>(target: Target, work: (owner: OwnerApi) => Promise<T>): Promise<T> {
  const store = await openStore(locationOf(target));
  try {
    return await work(createOwner({ store, ownerNo: 1, now: Date.now }));
  } finally {
    await store.close();
  }
}

const manifest = parseManifest({
  connector_key: "notes",
  version: "1",
  streams: [
    {
      name: "notes",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: { id: { type: "string" }, text: { type: "string" }, file: { type: "object", x_pdpp_type: "blob" } },
      },
    },
  ],
});

/** Fills the vault with so many notes of so many characters. */
export async function notes(owner: OwnerApi, count: number, chars: number): Promise<void> {
  await owner.connectors.register(manifest);
  await owner.connections.add({ connector_key: "notes", connection_id: "home" });
  const text = "word ".repeat(Math.ceil(chars / 5)).slice(0, chars);
  const lines = (async function* () {
    for (let i = 0; i < count; i += 1)
      yield Buffer.from(`${JSON.stringify({ data: { id: `n${String(i).padStart(6, "0")}`, text } })}\n`);
  })();
  await owner.records.ingest({ connection_id: "home", stream: "notes" }, lines);
}

export const everyNote = {
  client: { name: "reader" },
  sources: [{ connector_key: "notes", streams: [{ name: "*" }] }],
};

export interface Served {
  readonly url: URL;
  readonly process: ChildProcess;
  /** Ends it, with SIGTERM unless told otherwise; resolves when it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function serving(
  target: Target,
  more: readonly string[] = [],
  prefix: readonly string[] = [],
): Promise<Served> {
  const command = [
    ...prefix,
    process.execPath,
    pdppFile,
    "serve",
    "--json",
    "--port",
    "0",
    ...placeOf(target),
    ...more,
  ];
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { url }: { url: string } = JSON.parse(line);
    return { url: new URL(url), process: child, stop };
  }
  throw new Error(`the server ended before it was ready: ${said}`);
}

const placeOf = ({ dataDir, databaseUrl }: Target): string[] => [
  "--data-dir",
  dataDir,
  ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
];

/** A command on the vault, in a process of its own. */
export const pdpp = (target: Target, ...args: string[]): Promise<RunResult> => runPdpp([...args, ...placeOf(target)]);

/** A request over a socket that is read only when told to, so that whatever waits, waits at the server. */
export function slowRequest(url: URL, path: string, token: string): Socket {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.pause();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  return socket;
}

/** The rest of what comes, to the end or to a broken connection. */
export async function rest(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
  return Buffer.concat(chunks).toString();
}
