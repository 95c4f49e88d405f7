import { mkdirSync, readdirSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { ReadApi } from "@pdpp/contract/operations";
import { measureAsJson } from "@pdpp/evidence/sizes/measure";
import { openStore } from "@pdpp/server/store/store";
import pg from "pg";
import { authenticate } from "#server/auth/authenticate";
import { issueGrant } from "#server/auth/issue";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import type { ReadContext } from "#server/read/context";
import { deriveCursorKeys } from "#server/read/cursor";
import { createReader } from "#server/read/reader";
import { findHits } from "#server/read/search/find-hits";
import { parseQuestion } from "#server/read/search/search-question";
import { compared, type Figure, medians, percentile, Stopwatch, timed } from "./measure.ts";
import type { Place } from "./vault.ts";

/** Search beside a plain FTS5 table with the same texts, or on PostgreSQL beside SQLite, in one run. */

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

/** The n-th word, of letters alone: a word with digits inside has seams, and is indexed in parts. */
const wordOf = (n: number): string =>
  `w${n.toString(36).replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)))}`;

/** Words as seldom as in a language: the n-th has a chance of about 1/n. */
export function* texts(count: number): Generator<string> {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
  for (let n = 1; n <= count; n += 1) {
    const words = Array.from({ length: 15 + Math.floor(random() * 30) }, () => wordOf(Math.floor(60_000 ** random())));
    if (n % 3 === 0) words.push("common");
    if (n % 120 === 0) words.push("medium");
    if (n % 5000 === 0) words.push("rare");
    if (n % 150 === 0) words.push("alpha");
    if (n % 150 === 0 || n % 170 === 0) words.push("beta");
    if (n % 5 === 0) words.push("often");
    if (n % 101 === 0) words.push("seldom");
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

function fillRaw(db: DatabaseSync, count: number): void {
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
}

const queries: { what: string; q: string; atMost: number }[] = [
  { what: "a rare word", q: "rare", atMost: 2 },
  { what: "a medium word", q: "medium", atMost: 2 },
  { what: "two words", q: "alpha beta", atMost: 2 },
  { what: "a phrase", q: '"alpha beta"', atMost: 2 },
  { what: "two words, of 20 % and of 1 %", q: "often seldom", atMost: 2 },
  // What `a*` is in a language: over a thousand words begin so, and nearly every record has one of them.
  { what: "a beginning that nearly all have", q: "ws*", atMost: 0.5 },
  { what: "a word in a third of all", q: "common", atMost: 0.5 },
];
/** How much longer PostgreSQL may take than SQLite. */
const postgresAtMost = 3;

/** In milliseconds: a few statements to and fro, which SQLite does not have. */
const wayToAnotherProcess = 3;

type Work = () => unknown;

/** A vault serves for days, so what is compiled and cached in the first minute is so on both sides before they are measured. */
async function warmUp(works: readonly Work[]): Promise<void> {
  const began = performance.now();
  const within = (ms: number) => performance.now() < began + ms;
  for (let turn = 0; (turn < 50 && within(20_000)) || within(5000); turn += 1) {
    for (const work of works) await work();
  }
}

/** Of 51 turns; of fewer, but nine at least, where they would take more than half a minute. */
async function mediansOf(works: readonly Work[]): Promise<number[]> {
  const once = await timed(async () => {
    for (const work of works) await work();
  });
  return medians(Math.min(51, Math.max(9, Math.floor(15_000 / once))), ...works);
}

interface Ingested {
  readonly rate: number;
  /** Of this process, in microseconds a record. */
  readonly cpu: number;
}

async function ingested(count: number, work: () => unknown): Promise<Ingested> {
  const watch = new Stopwatch();
  await watch.run(work);
  return { rate: (count / watch.ms) * 1000, cpu: (watch.cpuMs / count) * 1000 };
}

const ingestFigures = (ours: Ingested, raw: Ingested, beside = ""): Figure[] => [
  compared(`search: ingest${beside}`, "records/s", ours.rate, raw.rate),
  compared(`search: ingest, processor time of a record${beside}`, "us", ours.cpu, raw.cpu),
];

interface SearchVault {
  readonly api: ReadApi;
  readonly ingest: Ingested;
  /** Which records, in order. */
  finding(q: string): Work;
  whole(q: string): Work;
  /** Answers how many megabytes it has on disk. */
  close(): Promise<number>;
}

async function searchVault(place: Place, count: number): Promise<SearchVault> {
  mkdirSync(place.dataDir, { recursive: true });
  const store = await openStore(place);
  await store.register(parseManifest(manifest), Date.now());
  const connection = await addConnection(store, 1, { connectorKey: "bench-search" }, Date.now());
  const loaded = await ingested(count, () =>
    ingest(store, { ownerNo: 1, connection, stream: "messages" }, linesOf(count), { now: Date.now }),
  );
  const { token } = await issueGrant(
    store,
    1,
    { client: { name: "b" }, sources: [{ connector_key: "bench-search", streams: [{ name: "messages" }] }] },
    Date.now(),
  );
  const scope = await authenticate(store, token, Date.now());
  const api = createReader({ store, scope });
  const context: ReadContext = {
    store,
    scope,
    now: Date.now,
    keys: deriveCursorKeys(store.secret),
    disclose: () => undefined,
    checkHeld: () => Promise.resolve(),
    throwIfStopped: () => undefined,
    isLightOnly: false,
    measure: measureAsJson,
  };
  return {
    api,
    ingest: loaded,
    finding(q) {
      const input = { q, limit: 10 };
      return () => findHits(context, parseQuestion(context, input), async (_, { page }) => page.map(({ doc }) => doc));
    },
    whole: (q) => () => api.search({ q, limit: 10 }),
    async close() {
      await store.close();
      return (
        (place.databaseUrl === undefined ? folderBytes(place.dataDir) : await databaseBytes(place.databaseUrl)) / 1e6
      );
    },
  };
}

const folderBytes = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(`${folder}/${name}`).size, 0);

async function databaseBytes(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
  await client.end();
  return Number(rows[0]!.bytes);
}

export async function benchSearch(workDir: string, count: number, databaseUrl?: string): Promise<Figure[]> {
  const sqlite = await searchVault({ dataDir: `${workDir}/search` }, count);
  return databaseUrl === undefined
    ? besideRaw(sqlite, workDir, count)
    : besideSqlite(await searchVault({ dataDir: `${workDir}/postgres`, databaseUrl }, count), sqlite);
}

async function besideRaw(ours: SearchVault, workDir: string, count: number): Promise<Figure[]> {
  const rawFile = `${workDir}/raw-search.db`;
  const raw = new DatabaseSync(rawFile);
  const loaded = await ingested(count, () => fillRaw(raw, count));
  const ranked = raw.prepare("SELECT rowid FROM raw WHERE raw MATCH ? ORDER BY rank LIMIT 10");
  const figures = ingestFigures(ours.ingest, loaded);
  const worksOf = (q: string): Work[] => [ours.finding(q), ours.whole(q), () => ranked.all(q)];
  for (const { q } of queries) await warmUp(worksOf(q));
  for (const { what, q, atMost } of queries) {
    const [finding, whole, bare] = await mediansOf(worksOf(q));
    figures.push(compared(`finding: ${what}`, "ms", finding!, bare!, { atMost }));
    figures.push(compared(`whole answer: ${what}`, "ms", whole!, bare!, atMost < 1 ? { atMost } : undefined));
  }
  figures.push(...(await besideCommon(ours.api, count)));
  raw.close();
  figures.push(compared("search: on disk", "MB", await ours.close(), statSync(rawFile).size / 1e6));
  return figures;
}

const mixedTurns = 30;

/** How long each of the questions takes, one after the other, again and again. */
async function wholeAnswers(vault: SearchVault): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < mixedTurns; turn += 1) for (const { q } of queries) times.push(await timed(vault.whole(q)));
  return times;
}

async function besideSqlite(ours: SearchVault, sqlite: SearchVault): Promise<Figure[]> {
  const figures = ingestFigures(ours.ingest, sqlite.ingest, "; raw: SQLite");
  const limit = { atMost: postgresAtMost };
  const worksOf = (q: string): Work[] => [ours, sqlite].flatMap((vault) => [vault.finding(q), vault.whole(q)]);
  for (const { q } of queries) await warmUp(worksOf(q));
  for (const { what, q } of queries) {
    const [finding, whole, sqliteFinding, sqliteWhole] = await mediansOf(worksOf(q));
    const beside = (name: string, time: number, raw: number): Figure => ({
      ...compared(`${name}: ${what}; raw: SQLite`, "ms", time, raw, limit),
      allowance: wayToAnotherProcess,
    });
    figures.push(beside("finding", finding!, sqliteFinding!), beside("whole answer", whole!, sqliteWhole!));
  }
  const [all, sqliteAll] = [await wholeAnswers(ours), await wholeAnswers(sqlite)];
  figures.push(
    compared(
      "whole answers, all of these, p95; raw: SQLite",
      "ms",
      percentile(all, 95),
      percentile(sqliteAll, 95),
      limit,
    ),
  );
  figures.push(compared("search: on disk; raw: SQLite", "MB", await ours.close(), await sqlite.close()));
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
