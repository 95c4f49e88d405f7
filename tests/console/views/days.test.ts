import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person, VisitedPage } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "#server/app";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { stage } from "../../oauth/agent.ts";

const range = ["gte", "gt", "lte", "lt"];
const time = { type: "string", format: "date-time" };
const event = { ...time, x_pdpp_role: "event-time" };

function defineStream(name: string, cursor: string, properties: JsonObject, more: JsonObject, query: JsonObject = {}) {
  return {
    name,
    semantics: "mutable_state",
    primary_key: ["id"],
    cursor_field: cursor,
    consent_time_field: cursor,
    selection: { fields: true, resources: true },
    schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, ...properties } },
    query: {
      range_filters: { [cursor]: range },
      aggregations: { count: true, group_by_time: [cursor] },
      ...query,
    },
    ...more,
  };
}

/** A calendar, a chat with named conversations, and positions. */
const lifeManifest: JsonObject = {
  connector_key: "life",
  version: "1",
  display_name: "Life",
  streams: [
    defineStream(
      "events",
      "starts_at",
      {
        starts_at: event,
        ends_at: { ...time, type: ["string", "null"] },
        is_all_day: { type: "boolean", x_pdpp_type: "all-day" },
        title: { type: "string", x_pdpp_role: "primary-title" },
      },
      { presentation: { kind: "event", fields: { end: "ends_at", all_day: "is_all_day" } } },
    ),
    defineStream(
      "messages",
      "sent_at",
      {
        sent_at: event,
        chat_id: { type: "string" },
        sender: { type: "string", x_pdpp_role: "actor" },
        is_mine: { type: "boolean" },
        text: { type: "string", x_pdpp_role: "body" },
      },
      {
        presentation: { kind: "conversation", own: { field: "is_mine", values: [true] } },
        relationships: [{ name: "chat", stream: "chats", foreign_key: "chat_id", cardinality: "has_one" }],
      },
      { search: { lexical_fields: ["text"], context: { within: "chat_id", by: "sent_at" } } },
    ),
    defineStream(
      "chats",
      "last_at",
      { last_at: event, name: { type: "string", x_pdpp_role: "primary-title" } },
      { relationships: [{ name: "messages", stream: "messages", foreign_key: "chat_id", cardinality: "has_many" }] },
    ),
  ],
};

const say = (id: string, sent_at: string, sender: string, text: string, is_mine = false): object => ({
  data: { id, sent_at, sender, text, is_mine, chat_id: "c1" },
});

describe.each(surfaceEngines)("days, on %s", (engine) => {
  let vault: TestVault;
  let owner: Person;
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
  const openDay = (day: string): Promise<VisitedPage> => owner.open(`${site}/day/${day}`);
  /** Each entry as text: time, title and words. */
  const listEntries = ({ html }: VisitedPage): string[] =>
    [...(/<ol class="spine">[\s\S]*?<\/ol>/.exec(html)?.[0] ?? "").matchAll(/<li[^>]*>([\s\S]*?)<\/li>/g)].map(
      ([, inner = ""]) =>
        inner
          .replace(/<span class="hidden">[\s\S]*?<\/span>/g, " ")
          .replace(/<[^>]+>/g, " ")
          .replace(/\s+/g, " ")
          .trim(),
    );
  /** Reloads until the server has counted. */
  const openCounted = async (day: string): Promise<VisitedPage> => {
    await expect.poll(async () => (await openDay(day)).html).not.toContain("data-counting");
    return openDay(day);
  };
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    await vault.store.register(parseManifest(lifeManifest), now);
    await addConnection(vault.store, 1, { connectorKey: "life", id: "life", label: "Ada's life" }, now);
    await openOwner().setTimeZone("Europe/Berlin");
    await putRecords(vault, "life", "chats", [
      { data: { id: "c1", last_at: "2026-10-24T12:00:00Z", name: "Book <b>club" } },
    ]);
    await putRecords(vault, "life", "messages", [
      say("m1", "2026-03-10T08:00:00Z", "Nell", "Who has the <script>book?"),
      say("m2", "2026-03-10T08:30:00Z", "Ada", "Me", true),
      say("m3", "2026-03-10T09:20:00Z", "Nell", "Good"),
      say("m4", "2026-03-10T17:00:00Z", "Ada", "I finished it", true),
      say("late", "2026-10-24T21:59:59Z", "Nell", "still the 24th"),
      say("first", "2026-10-24T22:00:00Z", "Nell", "the first minute"),
      say("second", "2026-10-25T00:30:00Z", "Nell", "half past two in summer time"),
      say("third", "2026-10-25T01:30:01Z", "Nell", "half past two in winter time"),
      say("last", "2026-10-25T22:59:59Z", "Nell", "the last second"),
      say("next", "2026-10-25T23:00:00Z", "Nell", "already the 26th"),
      say("spring", "2026-03-28T22:59:59Z", "Nell", "the 28th of March"),
      say("spring2", "2026-03-28T23:00:00Z", "Nell", "the 29th of March"),
      say("spring3", "2026-03-29T21:59:59Z", "Nell", "its last second"),
    ]);
    await putRecords(vault, "life", "events", [
      {
        data: {
          id: "e1",
          starts_at: "2026-03-10T18:30:00Z",
          ends_at: "2026-03-10T21:00:00Z",
          is_all_day: false,
          title: "Concert",
        },
      },
      {
        data: {
          id: "e2",
          starts_at: "2026-03-10T00:00:00Z",
          ends_at: "2026-03-11T00:00:00Z",
          is_all_day: true,
          title: "Birthday",
        },
      },
    ]);
    owner = await signInOwner(stage(vault));
  });
  afterAll(() => vault.drop());

  it("[CSL-133] shows the records of all sources in order of time", async () => {
    await putRecords(vault, "chat_work", "messages", [
      buildMessage("lunch", 0, { sent_at: "2026-03-10T11:00:00Z", text: "lunch at noon" }),
    ]);
    const page = await openDay("2026-03-10");
    expect(page.html).toContain("<h1>Tuesday, 10 March 2026</h1>");
    const entries = listEntries(page);
    expect(entries.map((entry) => entry.slice(0, 7))).toEqual(["All day", "09:00 A", "12:00 W", "18:00 A", "19:30 2"]);
    expect(entries[0]).toContain("Birthday");
    expect(entries[2]).toContain("lunch at noon");
    expect(page.html).not.toContain("<script>book");
    expect(page.html).toContain("7 records from 2 sources");
  });

  it("[CSL-134] joins messages of a conversation, names it, and shows both times of an event", async () => {
    const page = await openDay("2026-03-10");
    const entries = listEntries(page);
    expect(entries[1]).toContain("Book &lt;b&gt;club 3 messages");
    expect(entries[1]).toContain("Nell : Who has the &lt;script&gt;book?");
    expect(entries[3]).toContain("1 message");
    expect(entries[3]).toContain("You : I finished it");
    expect(entries[4]).toBe("19:30 22:00 A Concert");
    // The record of the conversation itself is not listed beside its messages.
    expect(listEntries(await openDay("2026-10-24"))).toHaveLength(1);
    const record = await owner.open(findLink(page, "Concert"));
    expect(record.status).toBe(200);
    expect(new URL(record.url).pathname).not.toContain("/day/");
  });

  it("[CSL-133] has 25 hours when clocks are set back, and 23 when they are set forward", async () => {
    const autumn = listEntries(await openDay("2026-10-25")).join(" | ");
    for (const words of ["the first minute", "half past two in summer", "half past two in winter", "the last second"])
      expect(autumn).toContain(words);
    expect(autumn).not.toMatch(/24th|26th/);
    expect(autumn.match(/02:30/g)).toHaveLength(2);
    const spring = listEntries(await openDay("2026-03-29")).join(" | ");
    expect(spring).toContain("the 29th of March");
    expect(spring).toContain("its last second");
    expect(spring).not.toContain("the 28th of March");
  });

  it("[CSL-133] puts an all-day record on its own date in every zone", async () => {
    for (const zone of ["America/Los_Angeles", "Pacific/Auckland", "Europe/Berlin"]) {
      await openOwner().setTimeZone(zone);
      const titles = await Promise.all(
        ["2026-03-09", "2026-03-10", "2026-03-11"].map(async (day) => (await openDay(day)).html.includes("Birthday")),
      );
      expect([zone, ...titles]).toEqual([zone, false, true, false]);
    }
  });

  it("[CSL-137] counts what it leaves out, and links to it as a table", async () => {
    const many = Array.from({ length: 130 }, (_, i) =>
      buildMessage(`n${i}`, 0, { sent_at: `2024-07-01T10:${String(i % 60).padStart(2, "0")}:00Z` }),
    );
    await putRecords(vault, "chat_work", "messages", many);
    const page = await openDay("2024-07-01");
    expect(page.html).toContain("130 records from 1 source");
    expect(listEntries(page)).toHaveLength(60);
    // Once the year is counted, the number comes from there; a record added since must not be lost.
    const counted = await openCounted("2024-07-01");
    expect(counted.html).toContain("130 records from 1 source");
    expect(findLink(counted, "and 70 more")).toBe(findLink(page, "and 70 more"));
    await putRecords(vault, "chat_work", "messages", [buildMessage("n130", 0, { sent_at: "2024-07-01T12:00:00Z" })]);
    expect((await openDay("2024-07-01")).html).toContain("131 records from 1 source");
    const table = await owner.open(findLink(page, "and 70 more"));
    expect(table.status).toBe(200);
    expect(table.html).toContain("message n0");
    expect(page.html.length).toBeLessThan(200_000);
  });

  it("[CSL-137] bounds the whole page, however many sources have a busy day", async () => {
    for (const source of ["s1", "s2", "s3", "s4", "s5"]) {
      await addConnection(vault.store, 1, { connectorKey: "life", id: source }, now);
      await putRecords(
        vault,
        source,
        "events",
        Array.from({ length: 60 }, (_, i) => ({
          data: { id: `${source}-${i}`, starts_at: "2024-07-02T10:00:00Z", is_all_day: false, title: `Meeting ${i}` },
        })),
      );
    }
    const page = await openCounted("2024-07-02");
    expect(page.html).toContain("300 records from 5 sources");
    expect(listEntries(page)).toHaveLength(200);
    expect(findLink(page, "and 40 more")).toContain("source=s4");
    expect(findLink(page, "and 60 more")).toContain("source=s5");
    expect(page.html.length).toBeLessThan(200_000);
  });

  it("[CSL-135] shows the records of a day even if they could not be counted", async () => {
    const reject = () => Promise.reject(new PdppError("query_too_heavy", "this read took too long and was stopped"));
    const threads = {
      read: reject,
      readPiece: reject,
      getLoad: () => ({ busyThreads: 0, idleThreads: 0, waiting: 0 }),
      warmUp: () => undefined,
      close: () => Promise.resolve(),
    };
    const visitor = await signInOwner(stage(vault, [createApp({ store: vault.store, threads })]));
    // The second is the newest day: that no record is later is found without a thread.
    for (const [day, words] of [
      ["2026-03-10", "Concert"],
      ["2026-10-26", "already the 26th"],
    ]) {
      const open = () => visitor.open(`${site}/day/${day}`);
      await expect.poll(async () => (await open()).html).not.toContain("data-counting");
      expect(listEntries(await open()).join()).toContain(words);
    }
  });

  it("[CSL-133] leads from /day to the newest day, and from a date to its page", async () => {
    const newest = await owner.open(`${site}/day`);
    expect(newest.url).toBe(`${site}/day/2026-10-26`);
    expect((await owner.open(`${site}/day?date=2026-03-10`)).url).toBe(`${site}/day/2026-03-10`);
  });

  it("[CSL-133] answers dates that do not exist with a page", async () => {
    const hostile = [
      "0000-99-99",
      "2026-02-29",
      "2026-1-1",
      "x",
      "2026-10-28T00:00",
      "%3Cscript%3E",
      "-2026-01-01",
      "99999-01-01",
      "0000-01-01",
      "9999-12-31",
    ];
    for (const day of hostile) {
      const page = await openDay(day);
      expect([day, page.status]).toEqual([day, 404]);
      expect(page.html).toContain("There is no such day");
      expect(page.html).not.toContain("<script>");
    }
    expect((await owner.open(`${site}/day?date=2026-13-01`)).status).toBe(404);
    for (const day of ["0002-01-01", "9997-12-31"]) expect((await openDay(day)).status).toBe(200);
  });

  it("[CSL-135] links to the neighbouring days that have records, and to every day of the year", async () => {
    const page = await openCounted("2026-03-10");
    expect(findLink(page, "Next day: Saturday, 28 March 2026")).toBe(`${site}/day/2026-03-28`);
    expect(findLink(page, "Previous day: Sunday, 1 February 2026")).toBe(`${site}/day/2026-02-01`);
    expect([...page.html.matchAll(/<a class="bar-/g)]).toHaveLength(365);
    expect(findLink(page, "Friday, 1 May 2026: 50 records")).toBe(`${site}/day/2026-05-01`);
    expect([...(await openCounted("2024-07-01")).html.matchAll(/<a class="bar-/g)]).toHaveLength(366);
    expect(findLink(await openCounted("2026-02-28"), "28 March 2026")).toBe(`${site}/day/2026-03-28`);
  });

  it("[CSL-135] says where the nearest day is when there is nothing", async () => {
    const page = await openCounted("2026-03-26");
    expect(page.html).toContain("Nothing on this day");
    expect(findLink(page, "28 March 2026")).toBe(`${site}/day/2026-03-28`);
    // Years away, where no count reaches.
    expect(findLink(await openCounted("1990-01-01"), "1 July 2024")).toBe(`${site}/day/2024-07-01`);
    expect(findLink(await openCounted("2090-01-01"), "26 October 2026")).toBe(`${site}/day/2026-10-26`);
  });

  it("[CSL-135] filters by kind in the address", async () => {
    const page = await openCounted("2026-03-10");
    const events = await owner.open(findLink(page, "Events 2"));
    expect(new URL(events.url).search).toBe("?kind=event");
    expect(listEntries(events).map((entry) => entry.slice(0, 7))).toEqual(["All day", "19:30 2"]);
    expect(events.html).toMatch(/aria-current="true"[^>]*><bdi>Events/);
    // The strip counts what the filter shows.
    expect(findLink(events, "Tuesday, 10 March 2026: 2 records")).toContain("kind=event");
    expect((await owner.open(`${site}/day/2026-03-10?kind=%22%3E%3Cscript%3E`)).html).not.toContain("<script>");
  });

  it("[CSL-136] shows nothing outside of an agent's grant", async () => {
    const streams = [{ name: "messages", connection_ids: ["chat_work"], fields: ["id", "sent_at", "text"] }];
    const { grants } = await openOwner().grants.issue({
      client: { name: "Reader" },
      sources: [{ connector_key: "chat", streams }],
    });
    const id = grants[0]?.grant_id ?? "";
    const open = () => owner.open(`${site}/as/${id}/day/2026-03-10`);
    await expect.poll(async () => (await open()).html).not.toContain("data-counting");
    const page = await open();
    expect(listEntries(page)).toHaveLength(1);
    expect(page.html).toContain("lunch at noon");
    expect(page.html).not.toMatch(/CANARY|Nell|Book|Concert|Birthday|Ada's life|secret|[Ll]ikes/);
    expect(findLink(page, "Tuesday, 10 March 2026: 1 record")).toBe(`${site}/as/${id}/day/2026-03-10`);
    expect(findLink(page, "Next day: Friday, 1 May 2026")).toBe(`${site}/as/${id}/day/2026-05-01`);
    expect(findLink(page, "Friday, 1 May 2026: 20 records")).toBe(`${site}/as/${id}/day/2026-05-01`);
    expect((await owner.open(`${site}/as/${id}/day`)).url).toBe(`${site}/as/${id}/day/2026-05-01`);
    const [entry = ""] = /<ol class="spine">[\s\S]*?href="([^"]+)"/.exec(page.html)?.slice(1) ?? [];
    expect(new URL(entry, page.url).pathname).toContain(`/as/${id}/`);
  });
});
