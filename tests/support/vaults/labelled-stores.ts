import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import type { Store } from "@pdpp/server/store/store";
import { authenticate } from "../../../packages/server/src/auth/authenticate.ts";
import { issueGrant } from "../../../packages/server/src/auth/issue.ts";
import { ingest } from "../../../packages/server/src/ingest/ingest.ts";
import { addConnection } from "../../../packages/server/src/owner/connections.ts";
import { createReader } from "../../../packages/server/src/read/reader.ts";

/** Labelled questions that lie beside the project; a clone without them skips what needs them, and says so. */
export const labelledFolder = fileURLToPath(new URL("../../../../shared/retrieval", import.meta.url));
const ending = ".jsonl.gz";

export interface LabelledStore {
  id: string;
  docs: { id: string; text: string; who: string; ts: string }[];
  queries: { id: string; q: string; type: string; gold: Record<string, number> }[];
}

/** Chats with an assistant; meetings of several people. */
export const labelledSets = ["longmemeval-dev", "qmsum"] as const;

export const setsIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .sort()
    : [];

export const hasLabelledStores = labelledSets.every((set) => setsIn(labelledFolder).includes(set));

/** One store at a time: a set may be larger than what one wants in memory. (readline would end a line at U+2028 too.) */
export async function* labelledStores(set: string, folder = labelledFolder): AsyncGenerator<LabelledStore> {
  const unpacked = createReadStream(join(folder, `${set}${ending}`))
    .pipe(createGunzip())
    .setEncoding("utf8");
  let line = "";
  for await (const part of unpacked) {
    const [first = "", ...more] = (part as string).split("\n");
    line += first;
    for (const next of more) {
      yield JSON.parse(line) as LabelledStore;
      line = next;
    }
  }
  if (line !== "") yield JSON.parse(line) as LabelledStore;
}

/** Small questions in many languages and forms over one store of notes. */
export interface LanguageCases {
  readonly records: readonly { readonly id: string; readonly text: string; readonly at: string }[];
  readonly cases: readonly LanguageCase[];
}

export interface LanguageCase {
  readonly class: string;
  readonly q: string;
  /** The records that must be among the first `within`, and those that must not be found at all. */
  readonly expect: readonly string[];
  readonly within: number;
  readonly absent?: readonly string[];
}

const casesFile = (folder: string): string => join(folder, "language-cases.json");
export const hasLanguageCases = (folder = labelledFolder): boolean => existsSync(casesFile(folder));
export const languageCases = (folder = labelledFolder): LanguageCases =>
  JSON.parse(readFileSync(casesFile(folder), "utf8"));

/** What `query.search.context` of a manifest says: which records stand beside each other. */
export type Conversation = JsonObject;

const textsManifest = (stream: string, times: string, conversation?: Conversation): JsonObject => ({
  connector_key: stream,
  version: "1",
  streams: [
    {
      name: stream,
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          who: { type: "string" },
          text: { type: "string" },
          [times]: { type: "string", format: "date-time" },
        },
      },
      query: {
        search: { lexical_fields: ["text"], ...(conversation === undefined ? {} : { context: conversation }) },
      },
    },
  ],
});

/** A store is one connection with one stream, and, where it is declared so, one conversation. */
export const registerTurns = (store: Store, conversation?: Conversation): Promise<unknown> =>
  store.register(parseManifest(textsManifest("turns", "ts", conversation)), 0);

/** Loads a labelled store; answers the token of a grant for it and nothing else. */
export const loadTurns = (store: Store, { id, docs }: LabelledStore, now = 1): Promise<string> =>
  load(store, "turns", id, withTimes(docs), now);

/** Loads the notes of the language cases; answers a reader of them. */
export async function notesReader(store: Store, { records }: LanguageCases): Promise<ReadApi> {
  await store.register(parseManifest(textsManifest("notes", "at")), 0);
  return readerOf(store, await load(store, "notes", "notes", records, 1));
}

export const readerOf = async (store: Store, token: string): Promise<ReadApi> =>
  createReader({ store, scope: await authenticate(store, token, 1) });

/** The times that a store says, told apart by its order; where one cannot be read, the order alone. */
function withTimes(docs: LabelledStore["docs"]): object[] {
  const said = docs.map(({ ts }) => Date.parse(ts));
  const times = said.some(Number.isNaN) ? docs.map((_, n) => Date.UTC(2020, 0, 1) + 1000 * n) : said;
  return docs.map(({ id, text, who }, n) => ({ id, text, who, ts: new Date(times[n]! + n).toISOString() }));
}

async function load(
  store: Store,
  stream: string,
  name: string,
  records: readonly object[],
  now: number,
): Promise<string> {
  const id = name.replaceAll(/[^\w.-]/g, "_");
  const connection = await addConnection(store, 1, { connectorKey: stream, id }, now);
  const report = await ingest(store, { ownerNo: 1, connection, stream }, linesOf(records), { now: () => now });
  if (report.records_rejected > 0) throw new Error(`${name}: ${JSON.stringify(report.rejections[0])}`);
  const streams = [{ name: stream, connection_ids: [id] }];
  const request = { client: { name: "labelled" }, sources: [{ connector_key: stream, streams }] };
  return (await issueGrant(store, 1, request, now)).token;
}

async function* linesOf(records: readonly object[]): AsyncGenerator<Uint8Array> {
  for (const data of records) yield Buffer.from(`${JSON.stringify({ data })}\n`);
}
