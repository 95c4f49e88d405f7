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

/** Labelled questions next to the project's folder. Without them, the tests that need them are skipped and listed. */
export const labelledFolder = fileURLToPath(new URL("../../../../shared/retrieval", import.meta.url));
const ending = ".jsonl.gz";

export interface LabelledStore {
  id: string;
  docs: { id: string; text: string; who: string; ts: string }[];
  queries: { id: string; q: string; type: string; gold: Record<string, number> }[];
}

/** Chats with an assistant, and meetings of several people. */
export const labelledSets = ["longmemeval-dev", "qmsum"] as const;

export const listSets = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .sort()
    : [];

export const hasLabelledStores = labelledSets.every((set) => listSets(labelledFolder).includes(set));

/** Yields one store at a time because a set may not fit in memory. Does not use readline, which also splits at U+2028. */
export async function* readLabelledStores(set: string, folder = labelledFolder): AsyncGenerator<LabelledStore> {
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

/** Short questions in many languages and inflections over one store of notes. */
export interface LanguageCases {
  readonly records: readonly { readonly id: string; readonly text: string; readonly at: string }[];
  readonly cases: readonly LanguageCase[];
}

export interface LanguageCase {
  readonly class: string;
  readonly q: string;
  /** Records that must be among the first `within` hits, and records that must not match at all. */
  readonly expect: readonly string[];
  readonly within: number;
  readonly absent?: readonly string[];
}

const getCasesPath = (folder: string): string => join(folder, "language-cases.json");
export const hasLanguageCases = (folder = labelledFolder): boolean => existsSync(getCasesPath(folder));
export const readLanguageCases = (folder = labelledFolder): LanguageCases =>
  JSON.parse(readFileSync(getCasesPath(folder), "utf8"));

/** A manifest's `query.search.context`: which records are neighbours. */
export type Conversation = JsonObject;

const buildManifest = (stream: string, times: string, conversation?: Conversation): JsonObject => ({
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
          who: { type: "string", x_pdpp_role: "actor" },
          text: { type: "string" },
          [times]: { type: "string", format: "date-time" },
        },
      },
      cursor_field: times,
      query: {
        search: { lexical_fields: ["text", "who"], ...(conversation === undefined ? {} : { context: conversation }) },
      },
    },
  ],
});

/** A store is one connection with one stream and, if declared, one conversation. */
export const registerTurns = (store: Store, conversation?: Conversation): Promise<unknown> =>
  store.register(parseManifest(buildManifest("turns", "ts", conversation)), 0);

/** Loads a labelled store and returns the token of a grant for it alone. */
export const loadTurns = (store: Store, { id, docs }: LabelledStore, now = 1): Promise<string> =>
  load(store, "turns", id, withTimes(docs), now);

/** Loads the notes of the language cases and returns a reader for them. */
export async function loadNotesReader(store: Store, { records }: LanguageCases): Promise<ReadApi> {
  await store.register(parseManifest(buildManifest("notes", "at")), 0);
  return openReader(store, await load(store, "notes", "notes", records, 1));
}

export const openReader = async (store: Store, token: string): Promise<ReadApi> =>
  createReader({ store, scope: await authenticate(store, token, 1) });

/** Speakers without a name. Importers of AI chats do not declare them as searched either. */
const roles: ReadonlySet<string> = new Set(["user", "assistant", "system", "tool"]);

/** A store's timestamps, made unique by position. Where a timestamp cannot be parsed, position alone decides. */
function withTimes(docs: LabelledStore["docs"]): object[] {
  const said = docs.map(({ ts }) => Date.parse(ts));
  const times = said.some(Number.isNaN) ? docs.map((_, n) => Date.UTC(2020, 0, 1) + 1000 * n) : said;
  return docs.map(({ id, text, who }, n) => ({
    ...{ id, text, ts: new Date(times[n]! + n).toISOString() },
    ...(roles.has(who) ? {} : { who }),
  }));
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
  const report = await ingest(store, { ownerNo: 1, connection, stream }, toLines(records), { now: () => now });
  if (report.records_rejected > 0) throw new Error(`${name}: ${JSON.stringify(report.rejections[0])}`);
  const streams = [{ name: stream, connection_ids: [id] }];
  const request = { client: { name: "labelled" }, sources: [{ connector_key: stream, streams }] };
  return (await issueGrant(store, 1, request, now)).token;
}

async function* toLines(records: readonly object[]): AsyncGenerator<Uint8Array> {
  for (const data of records) yield Buffer.from(`${JSON.stringify({ data })}\n`);
}
