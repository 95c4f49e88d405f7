import { mkdirSync, readdirSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
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
import { calculatePercentile, compareWithRaw, type Figure, measureMedians, Stopwatch, timeWork } from "./measure.ts";
import { fillRaw, generateLines, searchManifest } from "./search-texts.ts";
import type { Place } from "./vault.ts";

/** Compares search with a plain FTS5 table of the same texts, or PostgreSQL with SQLite, in one run. */

const queries: { what: string; q: string; atMost: number }[] = [
  { what: "a rare word", q: "rare", atMost: 2 },
  { what: "a medium word", q: "medium", atMost: 2 },
  { what: "two words", q: "alpha beta", atMost: 2 },
  { what: "a phrase", q: '"alpha beta"', atMost: 2 },
  { what: "two words, in 20% and 1% of records", q: "often seldom", atMost: 2 },
  // The equivalent of `a*` in a natural language: over a thousand words start with it, and nearly every record has one.
  { what: "a prefix that nearly all records have", q: "ws*", atMost: 0.5 },
  { what: "a word in a third of all records", q: "common", atMost: 0.5 },
];
/** How many times longer than SQLite PostgreSQL may take. */
const postgresAtMost = 3;

/** In milliseconds: the round trips of a few statements, which SQLite does not have. */
const wayToAnotherProcess = 3;

type Work = () => unknown;

/** A vault runs for days, so both sides compile and fill their caches before being measured. */
async function runWarmUp(works: readonly Work[]): Promise<void> {
  const began = performance.now();
  const isWithin = (ms: number) => performance.now() < began + ms;
  for (let turn = 0; (turn < 50 && isWithin(20_000)) || isWithin(5000); turn += 1) {
    for (const work of works) await work();
  }
}

/** 51 rounds, or fewer (at least nine) if they would take longer than half a minute. */
async function measureWorks(works: readonly Work[]): Promise<number[]> {
  const once = await timeWork(async () => {
    for (const work of works) await work();
  });
  return measureMedians(Math.min(51, Math.max(9, Math.floor(15_000 / once))), ...works);
}

interface Ingested {
  readonly rate: number;
  /** CPU time of this process, in microseconds per record. */
  readonly cpu: number;
}

async function measureIngest(count: number, work: () => unknown): Promise<Ingested> {
  const watch = new Stopwatch();
  await watch.run(work);
  return { rate: (count / watch.ms) * 1000, cpu: (watch.cpuMs / count) * 1000 };
}

const ingestFigures = (ours: Ingested, raw: Ingested): Figure[] => [
  compareWithRaw(`search: ingest`, "records/s", ours.rate, raw.rate),
  compareWithRaw(`search: ingest, CPU time per record`, "us", ours.cpu, raw.cpu),
];

interface SearchVault {
  readonly api: ReadApi;
  readonly ingest: Ingested;
  /** Finds which records, in which order. */
  rank(q: string): Work;
  respond(q: string): Work;
  /** Returns the megabytes used on disk. */
  close(): Promise<number>;
}

async function searchVault(place: Place, count: number): Promise<SearchVault> {
  mkdirSync(place.dataDir, { recursive: true });
  const store = await openStore(place);
  await store.register(parseManifest(searchManifest), Date.now());
  const connection = await addConnection(store, 1, { connectorKey: "bench-search" }, Date.now());
  const loaded = await measureIngest(count, () =>
    ingest(store, { ownerNo: 1, connection, stream: "messages" }, generateLines(count), { now: Date.now }),
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
    checkStillValid: () => Promise.resolve(),
    throwIfStopped: () => undefined,
    isLightOnly: false,
    measure: measureAsJson,
  };
  return {
    api,
    ingest: loaded,
    rank(q) {
      const input = { q, limit: 10 };
      return () => findHits(context, parseQuestion(context, input), async (_, { page }) => page.map(({ doc }) => doc));
    },
    respond: (q) => () => api.search({ q, limit: 10 }),
    async close() {
      await store.close();
      return (
        (place.databaseUrl === undefined ? measureFolder(place.dataDir) : await measureDatabase(place.databaseUrl)) /
        1e6
      );
    },
  };
}

const measureFolder = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(`${folder}/${name}`).size, 0);

async function measureDatabase(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>("SELECT pg_database_size(current_database()) AS bytes");
  await client.end();
  return Number(rows[0]!.bytes);
}

export async function measureSearch(workDir: string, count: number, databaseUrl?: string): Promise<Figure[]> {
  const sqlite = await searchVault({ dataDir: `${workDir}/search` }, count);
  return databaseUrl === undefined
    ? compareWithFts5(sqlite, workDir, count)
    : compareWithSqlite(await searchVault({ dataDir: `${workDir}/postgres`, databaseUrl }, count), sqlite);
}

async function compareWithFts5(ours: SearchVault, workDir: string, count: number): Promise<Figure[]> {
  const rawFile = `${workDir}/raw-search.db`;
  const raw = new DatabaseSync(rawFile);
  const loaded = await measureIngest(count, () => fillRaw(raw, count));
  const ranked = raw.prepare("SELECT rowid FROM raw WHERE raw MATCH ? ORDER BY rank LIMIT 10");
  const figures = ingestFigures(ours.ingest, loaded);
  const listWorks = (q: string): Work[] => [ours.rank(q), ours.respond(q), () => ranked.all(q)];
  for (const { q } of queries) await runWarmUp(listWorks(q));
  for (const { what, q, atMost } of queries) {
    const [ranking, response, bare] = await measureWorks(listWorks(q));
    figures.push(compareWithRaw(`ranking: ${what}`, "ms", ranking!, bare!, { atMost }));
    figures.push(compareWithRaw(`response: ${what}`, "ms", response!, bare!, atMost < 1 ? { atMost } : undefined));
  }
  figures.push(...(await measureUnderSearch(ours.api, count)));
  raw.close();
  figures.push(compareWithRaw("search: on disk", "MB", await ours.close(), statSync(rawFile).size / 1e6));
  return figures;
}

const mixedTurns = 30;

/** The time of each question, asked in turn, repeatedly. */
async function timeResponses(vault: SearchVault): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < mixedTurns; turn += 1)
    for (const { q } of queries) times.push(await timeWork(vault.respond(q)));
  return times;
}

async function compareWithSqlite(ours: SearchVault, sqlite: SearchVault): Promise<Figure[]> {
  const figures = ingestFigures(ours.ingest, sqlite.ingest);
  const limit = { atMost: postgresAtMost };
  const listWorks = (q: string): Work[] => [ours, sqlite].flatMap((vault) => [vault.rank(q), vault.respond(q)]);
  for (const { q } of queries) await runWarmUp(listWorks(q));
  for (const { what, q } of queries) {
    const [ranking, response, sqliteRanking, sqliteResponse] = await measureWorks(listWorks(q));
    const beside = (name: string, time: number, raw: number): Figure => ({
      ...compareWithRaw(`${name}: ${what}`, "ms", time, raw, limit),
      allowance: wayToAnotherProcess,
    });
    figures.push(beside("ranking", ranking!, sqliteRanking!), beside("response", response!, sqliteResponse!));
  }
  const [all, sqliteAll] = [await timeResponses(ours), await timeResponses(sqlite)];
  figures.push(
    compareWithRaw(
      "response: all queries, p95",
      "ms",
      calculatePercentile(all, 95),
      calculatePercentile(sqliteAll, 95),
      limit,
    ),
  );
  figures.push(compareWithRaw("search: on disk", "MB", await ours.close(), await sqlite.close()));
  return figures;
}

/** Reads single records while a common word is searched repeatedly. */
async function measureUnderSearch(api: ReadApi, count: number): Promise<Figure[]> {
  const read = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let i = 0; i < 2000; i += 1) {
      const id = `m${((i * 7919) % count) + 1}`;
      times.push(await timeWork(() => api.fetch({ stream: "messages", record_id: id })));
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
      // Each in its own event-loop turn, as requests arrive. With few records, nothing else would ever get a turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const beside = await read();
  busy = false;
  await searching;
  return [
    compareWithRaw(
      "one record, p99, during searches for a common word; raw: idle",
      "ms",
      calculatePercentile(beside, 99),
      calculatePercentile(idle, 99),
      { atMost: 5 },
    ),
  ];
}
