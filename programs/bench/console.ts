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
import { buildPeople } from "#server/people/build-people";
import { followSources } from "#server/people/derive";
import { calculateMedian, calculatePercentile, type Figure, Stopwatch } from "./measure.ts";
import { generateTexts } from "./search-texts.ts";
import type { Place } from "./vault.ts";

/** Measures every console page over a large vault: the time to its complete HTML, and its size. */

/** Pages that only look something up, and those that put together a day, a month or a conversation. */
const mostMs = 30;
const mostCpuMs = 50;
const mostKb = 200;
const sources = ["first", "second", "third"];
const stream = "messages";

const text = { type: "string" };
const time = { type: "string", format: "date-time", x_pdpp_role: "event-time" };
const title = { type: "string", x_pdpp_role: "primary-title" };

/** A stream of each kind that has a page of its own. */
const declareStream = (
  name: string,
  presentation: JsonObject,
  properties: JsonObject,
  query: JsonObject,
): JsonObject => ({
  name,
  semantics: "append_only",
  primary_key: ["id"],
  cursor_field: "at",
  presentation,
  schema: { type: "object", required: ["id"], properties: { id: text, at: time, ...properties } },
  query: {
    range_filters: { at: ["gte", "lt"] },
    ...query,
    aggregations: { count: true, group_by_time: ["at"], ...(query.aggregations as JsonObject | undefined) },
  },
});

const manifest: JsonObject = {
  connector_key: "bench-console",
  version: "2",
  display_name: "Messages",
  streams: [
    declareStream(
      stream,
      { kind: "conversation", own: { field: "sender", values: ["person0@example.org"] } },
      {
        chat: text,
        subject: title,
        sender: { type: "string", x_pdpp_type: "email", x_pdpp_role: "actor" },
        text: { type: "string", x_pdpp_role: "body" },
        size: { type: "integer" },
      },
      {
        search: { lexical_fields: ["text"], context: { within: "chat", by: "at" } },
        range_filters: { at: ["gte", "lt"], size: ["gte", "lt"] },
        aggregations: { group_by: ["sender"] },
      },
    ),
    declareStream(
      "events",
      { kind: "event", fields: { end: "until", place: "place" } },
      { title, until: { type: "string", format: "date-time" }, place: text },
      { search: { lexical_fields: ["title"] }, range_filters: { at: ["gte", "lt"], until: ["gte", "lt"] } },
    ),
    declareStream(
      "photos",
      { kind: "photo", fields: { media_type: "media_type" } },
      { name: title, media_type: text, picture: { type: "object", x_pdpp_role: "blob-reference" } },
      { aggregations: { group_by: ["media_type"] } },
    ),
    declareStream(
      "payments",
      { kind: "transaction", fields: { payee: "payee" } },
      {
        payee: { type: "string", x_pdpp_role: "actor" },
        amount: { type: "number", x_pdpp_role: "amount", x_pdpp_unit_field: "currency" },
        currency: text,
      },
      { aggregations: { group_by: ["payee", "currency"], sum: ["amount"] } },
    ),
  ],
};

const longText = "A long text, which is read on window by window. ".repeat(4500);
const tenYears = 10 * 365 * 86_400_000;
const hour = 3_600_000;
const chats = 500;

/** Of ten records, seven are messages, and one each is an event, a photo and a payment. */
const getStreamName = (n: number): string => ["events", "photos", "payments"][(n % 10) - 7] ?? stream;

function buildRecord(n: number, count: number, words: string): JsonObject {
  const when = Date.now() - Math.floor(((count - n) / count) * tenYears);
  const at = new Date(when).toISOString();
  const head = words.slice(0, 40);
  switch (getStreamName(n)) {
    case "events":
      return { id: `e${n}`, at, title: head, until: new Date(when + hour).toISOString(), place: `Room ${n % 90}` };
    case "photos":
      return { id: `p${n}`, at, name: head, media_type: "image/jpeg" };
    case "payments":
      return { id: `t${n}`, at, payee: `Shop ${n % 300}`, amount: (n % 9000) / 100, currency: n % 20 ? "EUR" : "CHF" };
    default: {
      const sender = `person${n % 400}@example.org`;
      const chat = `chat${n % chats}`;
      return { id: `m${n}`, at, chat, subject: head, sender, text: n === 3 ? longText : words, size: n % 9000 };
    }
  }
}

function* generateNames(count: number): Generator<string> {
  for (let n = 1; n <= count; n += 1) yield `Number ${n} of many`;
}

async function* generateLines(count: number, source: number, name: string): AsyncGenerator<Uint8Array> {
  let n = 0;
  let block: string[] = [];
  for (const words of name === stream ? generateTexts(count) : generateNames(count)) {
    n += 1;
    if (n % sources.length !== source || getStreamName(n) !== name) continue;
    block.push(`${JSON.stringify({ data: buildRecord(n, count, words) })}\n`);
    if (block.length < 1000) continue;
    yield Buffer.from(block.join(""));
    block = [];
  }
  yield Buffer.from(block.join(""));
}

const streamNames = [stream, "events", "photos", "payments"];

const openOwner = (store: Store) => createOwner({ store, ownerNo: 1, now: Date.now });

/** The grant of a vault that was filled before; it is made last. */
const findGrant = async (store: Store): Promise<string | undefined> =>
  (await openOwner(store).grants.list())[0]?.grant_id;

async function fill(store: Store, count: number, note: (text: string) => void): Promise<string> {
  note(`storing ${count} records ...`);
  await store.register(parseManifest(manifest), Date.now());
  for (const [i, id] of sources.entries()) {
    const connection = await addConnection(store, 1, { connectorKey: "bench-console", id }, Date.now());
    for (const name of streamNames)
      await ingest(store, { ownerNo: 1, connection, stream: name }, generateLines(count, i, name), { now: Date.now });
  }
  note("finding people ...");
  await followSources(store, { ownerNo: 1, rest: async () => undefined });
  await buildPeople(store, 1, Date.now());
  const streams = [{ name: stream, connection_ids: ["first"], fields: ["id", "at", "subject", "text"] }];
  const { grants } = await openOwner(store).grants.issue({
    client: { name: "Bench" },
    sources: [{ connector_key: "bench-console", streams }],
  });
  // By then the deferred work of a write is done.
  await setTimeout(restMs);
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

/** A day, a month and a conversation in the middle of ten years. */
const listDayPages = (now: number, count: number) => {
  const day = new Date(now - tenYears / 2).toISOString().slice(0, 10);
  // A message of the first source.
  const middle = 30 * Math.floor(count / 60) + 3;
  return [
    { what: "a day", address: `/day/${day}` },
    { what: "a month of the calendar", address: `/calendar?month=${day.slice(0, 7)}` },
    { what: "a month of photos", address: `/photos?month=${day.slice(0, 7)}` },
    { what: "money", address: "/money?source=first&stream=payments" },
    { what: "a conversation", address: `/conversation?id=first%2Fmessages%3Am${middle}` },
    { what: "conversations", address: "/conversation?source=first&stream=messages" },
    { what: "people", address: "/people" },
  ];
};

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
    const grant = (await findGrant(store)) ?? (await fill(store, count, note));
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
    for (const { what, address } of [...pages, ...listDayPages(Date.now(), count), ...more, ...searches]) {
      const { status } = await app.fetch(
        new Request(`${site}${address}`, { headers: { cookie, accept: "text/html" } }),
      );
      note(`${what}${status === 200 ? "" : `: ${status}, not measured`}`);
      // Pages that moved, are shown only once, or belong to an import this vault does not have.
      if (status !== 200) continue;
      figures.push(...(await measurePage(what, () => open(address))));
    }
    const [, person] = /href="(person\?[^"]+)"/.exec(await open("/people")) ?? [];
    if (person === undefined) throw new Error("the vault has no people");
    note("a person");
    figures.push(...(await measurePage("a person", () => open(`/${person.replaceAll("&amp;", "&")}`))));
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
const [longestCountMs, countingPauseMs] = [600_000, 500];

async function measurePage(what: string, open: () => Promise<string>): Promise<Figure[]> {
  const isWithinLimit = (began: number): boolean => performance.now() - began < longestMs;
  // The first visit has days counted in the background; that is not the cost of the page.
  const counting = performance.now();
  while ((await open()).includes("data-counting") && performance.now() - counting < longestCountMs)
    await setTimeout(countingPauseMs);
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
    { what: `${what}, CPU time`, unit: "ms", ours: calculateMedian(cpu), limit: { atMost: mostCpuMs } },
    { what: `${what}, size`, unit: "kB", ours: bytes / 1000, limit: { atMost: mostKb } },
  ];
}
