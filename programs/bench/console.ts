import { mkdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createOwner } from "@pdpp/server/owner/owner";
import { openStore, type Store } from "@pdpp/server/store/store";
import { signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import { type ExamplePlace, listHtmlExamples, noExample } from "@pdpp/test-support/web/page-examples";
import { createPerson } from "@pdpp/test-support/web/person";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { createReadingThreads } from "#server/http/threads/reading-threads";
import { ingest } from "#server/ingest/ingest";
import { addConnection } from "#server/owner/connections";
import { calculateMedian, calculatePercentile, type Figure, Stopwatch } from "./measure.ts";
import { generateTexts } from "./search-texts.ts";
import type { Place } from "./vault.ts";

/** Measures every console page over a large vault: the time to its complete HTML, and its size. */

const mostMs = 30;
const mostKb = 200;
const sources = ["first", "second", "third"];
const stream = "messages";

const manifest: JsonObject = {
  connector_key: "bench-console",
  version: "1",
  display_name: "Messages",
  streams: [
    {
      name: stream,
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "sent_at",
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          subject: { type: "string", x_pdpp_role: "primary-title" },
          sender: { type: "string", x_pdpp_role: "actor" },
          text: { type: "string", x_pdpp_role: "body" },
          size: { type: "integer" },
        },
      },
      query: {
        search: { lexical_fields: ["text"] },
        range_filters: { sent_at: ["gte", "lt"], size: ["gte", "lt"] },
        aggregations: { count: true, group_by_time: ["sent_at"] },
      },
    },
  ],
};

const longText = "A long text, which is read on window by window. ".repeat(4500);
const tenYears = 10 * 365 * 86_400_000;

async function* generateLines(count: number, source: number): AsyncGenerator<Uint8Array> {
  let n = 0;
  let block: string[] = [];
  for (const text of generateTexts(count)) {
    n += 1;
    if (n % sources.length !== source) continue;
    const at = Date.now() - Math.floor(((count - n) / count) * tenYears);
    const subject = text.slice(0, 40);
    const sender = `person${n % 400}@example.org`;
    const data = { id: `m${n}`, sent_at: new Date(at).toISOString(), subject, sender, text, size: n % 9000 };
    block.push(`${JSON.stringify({ data: n === 3 ? { ...data, text: longText } : data })}\n`);
    if (block.length < 1000) continue;
    yield Buffer.from(block.join(""));
    block = [];
  }
  yield Buffer.from(block.join(""));
}

async function fill(store: Store, count: number): Promise<string> {
  await store.register(parseManifest(manifest), Date.now());
  for (const [i, id] of sources.entries()) {
    const connection = await addConnection(store, 1, { connectorKey: "bench-console", id }, Date.now());
    await ingest(store, { ownerNo: 1, connection, stream }, generateLines(count, i), { now: Date.now });
  }
  const owner = createOwner({ store, ownerNo: 1, now: Date.now });
  const streams = [{ name: stream, connection_ids: ["first"], fields: ["id", "sent_at", "subject", "text"] }];
  const { grants } = await owner.grants.issue({
    client: { name: "Bench" },
    sources: [{ connector_key: "bench-console", streams }],
  });
  return grants[0]?.grant_id ?? "";
}

const search = (q: string): string => `/explore?${new URLSearchParams({ q })}`;

/** Searches, because a page of hits costs what finding them costs. */
const searches = [
  { what: "search: a rare word", address: search("rare") },
  { what: "search: a medium word", address: search("medium") },
  { what: "search: two words", address: search("alpha beta") },
  { what: "search: a phrase", address: search('"alpha beta"') },
  { what: "search: a word in a third of all records", address: search("common") },
  { what: "search: that word, one source", address: `${search("common")}&source=first` },
];

const more = [
  { what: "browse", address: "/explore" },
  { what: "a table, filtered", address: "/stream?source=first&stream=messages&filter=size%3Ais%3A33" },
  { what: "a long text, its middle", address: "/text?id=first%2Fmessages%3Am3&field=text&offset=100000" },
];

export async function measureConsole(place: Place, count: number, note: (text: string) => void): Promise<Figure[]> {
  mkdirSync(place.dataDir, { recursive: true });
  const store = await openStore(place);
  const threads = createReadingThreads({ ...place, secret: store.secret });
  try {
    note(`storing ${count} records ...`);
    const grant = await fill(store, count);
    // By then the deferred work of a write is done.
    await setTimeout(restMs);
    const app = createApp({ store, threads });
    const fetch = async (request: Request) => app.fetch(request);
    const owner = createPerson(fetch, () => false);
    const stage = { owner: () => owner, code: () => createSignInCode(store, 1, Date.now()) };
    await signInOwner(stage);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const open = async (address: string): Promise<string> => {
      const headers = { cookie, accept: "text/html" };
      const answer = await app.fetch(new Request(`${site}${address}`, { headers }));
      const html = await answer.text();
      if (answer.status !== 200) throw new Error(`${address} answered ${answer.status}`);
      return html;
    };
    const at: ExamplePlace = { grant, source: "first", stream, record: "m3", field: "text", blob: "", words: "medium" };
    const pages = listHtmlExamples(at).map(({ path, address }) => ({ what: path, address }));
    if (pages.some(({ address }) => address === noExample)) throw new Error("no example for a page");
    const figures: Figure[] = [];
    for (const { what, address } of [...pages, ...more, ...searches]) {
      const { status } = await app.fetch(
        new Request(`${site}${address}`, { headers: { cookie, accept: "text/html" } }),
      );
      note(`${what}${status === 200 ? "" : `: ${status}, not measured`}`);
      // Pages that moved, are shown only once, or belong to an import this vault does not have.
      if (status !== 200) continue;
      figures.push(...(await measurePage(what, () => open(address))));
    }
    return figures;
  } finally {
    await threads.close();
    await store.close();
  }
}

const restMs = 30_000;
const warmTurns = 20;
const turns = 41;
/** Slow pages are opened less often. */
const longestMs = 8000;

async function measurePage(what: string, open: () => Promise<string>): Promise<Figure[]> {
  const isWithinLimit = (began: number): boolean => performance.now() - began < longestMs;
  const warming = performance.now();
  for (let turn = 0; turn < 3 || (turn < warmTurns && isWithinLimit(warming)); turn += 1) await open();
  const times: number[] = [];
  const cpu: number[] = [];
  let bytes = 0;
  const began = performance.now();
  for (let turn = 0; turn < 9 || (turn < turns && isWithinLimit(began)); turn += 1) {
    const watch = new Stopwatch();
    bytes = Buffer.byteLength(await watch.run(open));
    times.push(watch.ms);
    cpu.push(watch.cpuMs);
  }
  return [
    { what, unit: "ms", ours: calculateMedian(times), limit: { atMost: mostMs } },
    { what: `${what}, p95`, unit: "ms", ours: calculatePercentile(times, 95) },
    { what: `${what}, CPU time`, unit: "ms", ours: calculateMedian(cpu) },
    { what: `${what}, size`, unit: "kB", ours: bytes / 1000, limit: { atMost: mostKb } },
  ];
}
