import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Json } from "@pdpp/contract/declaration";
import type { ClientOf } from "./client.ts";
import { runChecked } from "./hosts/cli-host.ts";
import type { Call } from "./hosts/mcp-host.ts";
import { removeUrl } from "./rest-walk.ts";
import { type Back, followBack, Known } from "./results/back.ts";
import { type Offer, readPrinted } from "./results/read-cards.ts";
import { Rebuilt } from "./results/rebuilt.ts";
import { splitByShell, splitShellWords } from "./results/shell-words.ts";
import { WalkError } from "./walk.ts";

/** The walk by commands: starts at `pdpp read schema` and runs every command it is shown. */

export interface CliWalk {
  readonly rebuilt: Rebuilt;
  /** Failed reads of texts. */
  readonly failed: readonly Call[];
  readonly commands: readonly string[];
}

const first: readonly Offer[] = [
  { command: "pdpp read schema --format card" },
  // Searches are never offered, so the walker makes them up.
  { command: "pdpp read search 'kettle boiled' --format card" },
];

export async function walkCli(client: ClientOf): Promise<CliWalk> {
  const rebuilt = new Rebuilt();
  const failed: Call[] = [];
  const pending: Offer[] = [...first];
  const known = new Known();
  const isNew = ({ command, back }: Offer): boolean => known.add(command, back);
  pending.forEach(isNew);
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (known.size > 5000) throw new WalkError(`no end; now ${next.command}`);
    const offers = await follow(client, next, rebuilt, failed);
    const found = isHit(next) ? offers.map((offer) => ({ back: middle, ...offer })) : offers.flatMap(withSmallPages);
    for (const offer of followBack(next.back, found)) if (isNew(offer)) pending.push(offer);
  }
  const commands = known.keys();
  if (!isDeepStrictEqual(commands.map(parseArguments), splitByShell(commands)))
    throw new WalkError("the shell reads a command in another way");
  return { rebuilt, failed, commands };
}

/** The first page as offered, and again so small that there are more. */
function withSmallPages(offer: Offer): Offer[] {
  const isFirstPage = /^pdpp read query-records (?!.*--(?:cursor|limit) )/.test(offer.command);
  const command = offer.command.replace("query-records", "query-records --limit 1");
  return isFirstPage ? [offer, { ...offer, command }] : [offer];
}

const isHit = ({ command }: Offer): boolean => command.startsWith("pdpp read search ");
/** Reading on from the middle repeats what is read from the start; reading back does not. */
const middle: Back = { start: null, toBeginning: true };

function parseArguments(command: string): string[] {
  const [program, ...words] = splitShellWords(command);
  if (program !== "pdpp" || words[0] !== "read") throw new WalkError(`a command of another kind: ${command}`);
  return words;
}

async function follow(client: ClientOf, { command, back }: Offer, rebuilt: Rebuilt, failed: Call[]): Promise<Offer[]> {
  const words = parseArguments(command);
  if (words[1] === "blob") {
    rebuilt.blobsRead.add(await readBytes(client, words));
    return [];
  }
  if (words.includes("json")) {
    await readOut(client, words, rebuilt);
    return [];
  }
  const { code, stdout, stderr } = await runChecked(client, words);
  if (code !== 0) {
    const [id, path] = [words[2]!, words[words.indexOf("--field") + 1]!];
    if (words[1] !== "field-window" || !path.endsWith("{text}"))
      throw new WalkError(`a continuation failed: ${command}\n  ${stderr.slice(0, 600)}`);
    failed.push({ tool: "field-window", arguments: { id: parseId(id), field_path: path } });
    return [];
  }
  try {
    const offers = readPrinted(words[1]!, stdout, rebuilt, back);
    await onTerminal(client, words, offers);
    return offers;
  } catch (error) {
    throw new WalkError(`${(error as Error).message}\n  after ${command}\n${stdout.slice(0, 3000)}`);
  }
}

const parseId = (spelled: string): string =>
  spelled.startsWith("pdpp://record/") ? decodeURIComponent(spelled.slice("pdpp://record/".length)) : spelled;

/** A terminal shows cards by default, with the same commands and no control characters. */
async function onTerminal(client: ClientOf, words: readonly string[], offers: readonly Offer[]): Promise<void> {
  const at = words.indexOf("--format");
  const { stdout } = await runChecked(client, words.toSpliced(at, 2), { terminal: true });
  const shown = readPrinted("", stdout, new Rebuilt());
  // Search cursors are never equal.
  const plain = ({ command, ...offer }: Offer) => ({
    ...offer,
    command: command.replace(" --format card", "").replace(/--cursor[ =][\w-]+/, "--cursor CURSOR"),
  });
  if (!isDeepStrictEqual(shown.map(plain), offers.map(plain))) throw new Error("a terminal shows other commands");
}

/** The bytes match the stated size and digest, or were never stored. */
async function readBytes(client: ClientOf, words: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-walk-"));
  const at = words.indexOf("--output") + 1;
  const file = join(folder, words[at]!);
  try {
    const { code, stderr } = await runChecked(client, words.with(at, file));
    const stored = client.world.vault.blobs.find(({ ref }) => words.includes(ref.blob_id));
    if (stored === undefined && code === 5) return (words.includes("--") ? words.at(-1) : words[2]) ?? "";
    if (stored === undefined || code !== 0) throw new WalkError(`${words.join(" ")}: ${code} ${stderr.slice(0, 500)}`);
    const bytes = readFileSync(file);
    if (createHash("sha256").update(bytes).digest("hex") !== stored.ref.sha256)
      throw new WalkError(`${words.join(" ")}: other bytes`);
    client.tally.characters += bytes.length;
    return stored.ref.blob_id;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A base64 value is read from the record itself. */
async function readOut(client: ClientOf, words: readonly string[], rebuilt: Rebuilt): Promise<void> {
  const { code, stdout, stderr } = await runChecked(client, words);
  if (code !== 0) throw new WalkError(`${words.join(" ")}: ${code} ${stderr.slice(0, 500)}`);
  const { connection_id, stream, id, data } = JSON.parse(stdout) as Shape;
  for (const [name, value] of Object.entries(data as Shape))
    rebuilt.out(`${connection_id}/${stream}:${id}`, name, removeUrl(value as Json));
}

type Shape = Record<string, unknown>;

/** Without a terminal the output is JSON: pages of whole records, and all records as lines. */
export async function walkJson(client: ClientOf): Promise<Rebuilt> {
  const rebuilt = new Rebuilt();
  const run = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runChecked(client, ["read", ...words]);
    if (code !== 0) throw new WalkError(`${JSON.stringify(words)} failed: ${stderr.slice(0, 500)}`);
    return stdout;
  };
  const schema = JSON.parse(await run("schema")) as { connectors: Shape[] };
  for (const { stream, connection } of listStreams(schema.connectors)) {
    const words = ["query-records", "--connection-id", connection, "--limit", "3"];
    let cursor: string | null = null;
    do {
      const page: Shape = JSON.parse(
        await run(...words, ...(cursor === null ? [] : ["--cursor", cursor]), "--", stream),
      );
      for (const record of page.data as Shape[]) note(record, rebuilt);
      cursor = (page.next_cursor ?? null) as string | null;
    } while (cursor !== null);
  }
  const pages = rebuilt.records.size;
  const lines = (await run("export")).split("\n").filter((line) => line !== "");
  for (const line of lines) note(JSON.parse(line) as Shape, rebuilt);
  if (lines.length !== pages) throw new WalkError(`${pages} records on pages, ${lines.length} in an export`);
  return rebuilt;
}

function listStreams(connectors: readonly Shape[]): { stream: string; connection: string }[] {
  return connectors.flatMap((connector) =>
    (connector.streams as Shape[]).flatMap((stream) => {
      const own = (stream.granted_connections ?? connector.granted_connections) as { connection_id: string }[];
      return own.map(({ connection_id }) => ({ stream: String(stream.name), connection: connection_id }));
    }),
  );
}

function note(record: Shape, into: Rebuilt): void {
  const id = `${record.connection_id}/${record.stream}:${record.id}`;
  into.record(id);
  for (const [name, value] of Object.entries(record.data as Shape)) into.value(id, name, removeUrl(value as Json));
}
