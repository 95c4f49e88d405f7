import { mkdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { openStore } from "@pdpp/server/store/store";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import type { ReadContext } from "#server/read/context";
import { cursorKeys } from "#server/read/cursor";
import { find } from "#server/read/find";
import { createReader } from "#server/read/reader";
import { questionFrom } from "#server/read/search-question";
import { compared, type Figure, medians, percentile, timed } from "./measure.ts";

/** Search beside a plain FTS5 table with the same texts, in one run. */

const manifest: JsonObject = {
  connector_key: "bench-search",
  version: "1",
  streams: [
    {
      name: "messages",
      semantics: "append_only",
      primary_key: ["id"],
      schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, text: { type: "string" } } },
      query: { search: { lexical_fields: ["text"] } },
    },
  ],
};

/** Words as seldom as in a language: the n-th has a chance of about 1/n. */
function* texts(count: number): Generator<string> {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  for (let n = 1; n <= count; n += 1) {
    const words = Array.from(
      { length: 15 + Math.floor(random() * 30) },
      () => `w${Math.floor(60_000 ** random()).toString(36)}`,
    );
    if (n % 3 === 0) words.push("common");
    if (n % 120 === 0) words.push("medium");
    if (n % 5000 === 0) words.push("rare");
    if (n % 150 === 0) words.push("alpha");
    if (n % 150 === 0 || n % 170 === 0) words.push("beta");
    yield words.join(" ");
  }
}

async function* linesOf(count: number): AsyncGenerator<Uint8Array> {
  let n = 0;
  let block: string[] = [];
  for (const text of texts(count)) {
    n += 1;
    block.push(`${JSON.stringify({ data: { id: `m${n}`, text } })}\n`);
    if (block.length === 1000) {
      yield Buffer.from(block.join(""));
      block = [];
    }
  }
  yield Buffer.from(block.join(""));
}

function rawIndex(file: string, count: number): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000");
  db.exec("CREATE VIRTUAL TABLE raw USING fts5(text, tokenize = 'porter unicode61')");
  const insert = db.prepare("INSERT INTO raw (rowid, text) VALUES (?, ?)");
  let n = 0;
  db.exec("BEGIN");
  for (const text of texts(count)) {
    n += 1;
    insert.run(n, text);
    if (n % 1000 === 0) db.exec("COMMIT; BEGIN");
  }
  db.exec("COMMIT");
  return db;
}

const queries: { what: string; q: string; atMost: number }[] = [
  { what: "a rare word", q: "rare", atMost: 2 },
  { what: "a medium word", q: "medium", atMost: 2 },
  { what: "two words", q: "alpha beta", atMost: 2 },
  { what: "a phrase", q: '"alpha beta"', atMost: 2 },
  { what: "a word in a third of all", q: "common", atMost: 0.5 },
];

const turns = 51;

/** A vault serves for days, so what is compiled and cached in the first minute is so on both sides before they are measured. */
async function warmUp(works: readonly (() => unknown)[]): Promise<void> {
  const end = performance.now() + 5000;
  for (let turn = 0; turn < 50 || performance.now() < end; turn += 1) {
    for (const work of works) await work();
  }
}

export async function benchSearch(workDir: string, count: number): Promise<Figure[]> {
  const dataDir = `${workDir}/search`;
  mkdirSync(dataDir, { recursive: true });
  const store = await openStore({ dataDir });
  await store.register(parseManifest(manifest), Date.now());
  const connection = await addConnection(store, 1, { connectorKey: "bench-search" }, Date.now());
  await ingest(store, { ownerNo: 1, connection, stream: "messages" }, linesOf(count), { now: Date.now });
  const { token } = await issueGrant(
    store,
    1,
    { client: { name: "b" }, sources: [{ connector_key: "bench-search", streams: [{ name: "messages" }] }] },
    Date.now(),
  );
  const scope = await authenticate(store, token, Date.now());
  const api = createReader({ store, scope });
  const context: ReadContext = { store, scope, keys: cursorKeys(store.secret), disclose: () => undefined };
  const raw = rawIndex(`${workDir}/raw-search.db`, count);
  const ranked = raw.prepare("SELECT rowid FROM raw WHERE raw MATCH ? ORDER BY rank LIMIT 10");
  const figures: Figure[] = [];
  const worksOf = (q: string) => {
    const input = { q, limit: 10 };
    return [
      () => find(context, questionFrom(context, input), async (_, { page }) => page.map(({ doc }) => doc)),
      () => api.search(input),
      () => ranked.all(q),
    ];
  };
  for (const { q } of queries) await warmUp(worksOf(q));
  for (const { what, q, atMost } of queries) {
    const works = worksOf(q);
    const [finding, whole, bare] = await medians(turns, ...works);
    figures.push(compared(`finding: ${what}`, "ms", finding!, bare!, { atMost }));
    figures.push(compared(`whole answer: ${what}`, "ms", whole!, bare!, atMost < 1 ? { atMost } : undefined));
  }
  figures.push(...(await besideCommon(api, count)));
  raw.close();
  await store.close();
  return figures;
}

/** Single records while a common word is searched for again and again. */
async function besideCommon(api: ReadApi, count: number): Promise<Figure[]> {
  const read = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; i < 2000; i += 1) {
      const id = `m${((i * 7919) % count) + 1}`;
      times.push(await timed(() => api.fetch({ stream: "messages", record_id: id })));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return times;
  };
  await read();
  const idle = await read();
  let busy = true;
  const searching = (async () => {
    while (busy) {
      await api.search({ q: "common", limit: 10 });
      // As requests come: each in a turn of its own. Over few records nothing else would ever get one.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const beside = await read();
  busy = false;
  await searching;
  return [
    compared(
      "one record, p99, while a common word is searched; raw: idle",
      "ms",
      percentile(beside, 99),
      percentile(idle, 99),
      { atMost: 5 },
    ),
  ];
}
