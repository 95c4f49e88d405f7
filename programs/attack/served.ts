import { type ChildProcess, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { parseManifest } from "@pdpp/contract/manifest";
import type { AccessDocument, OwnerApi } from "@pdpp/contract/owner";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore, type StoreLocation } from "@pdpp/server/store/store";
import { cleanEnvironment, pdppFile, type RunResult, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import type { Target } from "./attack.ts";

/** A vault of notes served by a child process. Shared by the attacks on reading. */

export const toStoreLocation = ({ dataDir, databaseUrl }: Target): StoreLocation => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

export async function asOwner<T>(target: Target, work: (owner: OwnerApi) => Promise<T>): Promise<T> {
  const store = await openStore(toStoreLocation(target));
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

/** Fills the vault with notes. */
export async function fillWithNotes(owner: OwnerApi, count: number, chars: number): Promise<void> {
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
  /** Signs the owner in, once. */
  readonly signInUrl: string;
  readonly process: ChildProcess;
  /** Stops the server, by default with SIGTERM, and resolves when it has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts `pdpp serve` in a child process, without waiting until it is ready. */
export function spawnServer(target: Target, more: readonly string[] = [], prefix: readonly string[] = []) {
  const serve = ["serve", "--json", "--port", "0", ...toVaultOptions(target), ...more];
  const [program = "", ...args] = [...prefix, process.execPath, pdppFile, ...serve];
  const child = spawn(program, args, { env: cleanEnvironment(), stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  return { process: child, gone, stderr: () => said };
}

export async function startServing(
  target: Target,
  more: readonly string[] = [],
  prefix: readonly string[] = [],
): Promise<Served> {
  const { process: child, gone, stderr } = spawnServer(target, more, prefix);
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, sign_in_url: signInUrl }: { url: string; sign_in_url: string } = JSON.parse(line);
    return { url: new URL(url), signInUrl, process: child, stop };
  }
  throw new Error(`the server exited before it was ready: ${stderr()}`);
}

const toVaultOptions = ({ dataDir, databaseUrl }: Target): string[] => [
  "--data-dir",
  dataDir,
  ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
];

/** Runs a command on the vault in a child process. */
export const runOnVault = (target: Target, ...args: string[]): Promise<RunResult> =>
  runPdpp([...args, ...toVaultOptions(target)]);

/** The log's entries by request. */
export async function readLog(target: Target): Promise<Map<string, AccessDocument[]>> {
  const { stdout } = await runOnVault(target, "log", "--json", "--limit", "100000");
  const { data }: { data: AccessDocument[] } = JSON.parse(stdout);
  return Map.groupBy(data, ({ request_id }) => request_id);
}

/** Sends a request over a socket that is read only on demand, so the server has to wait. */
export function sendSlowRequest(url: URL, path: string, token: string, connection = "close"): Socket {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.pause();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\nConnection: ${connection}\r\n\r\n`,
  );
  return socket;
}

/** Reads the rest of the response, until it ends or the connection breaks. */
export async function readRest(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.once("error", () => resolve());
  });
  return Buffer.concat(chunks).toString();
}
