import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { SearchList } from "@pdpp/contract/wire";
import { sliceChars } from "@pdpp/evidence/text/text";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import {
  buildMessage,
  chatManifest,
  createSample,
  everything,
  now,
  putRecords,
  type Sample,
} from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";

describe.each(surfaceEngines)("search on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    token = await world.grant(everything);
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("boiler", 100, {
        text: "The boiler in the cellar is leaking again, please call the plumber about the valve.",
      }),
      buildMessage("cafe", 101, { text: "Treffen wir uns im Café an der Straße? 🎂 Es gibt Kuchen." }),
      buildMessage("tokyo", 102, { text: "明日、東京タワーに行きましょう。" }),
      buildMessage("run", 103, { text: "She was running late." }),
      buildMessage("exact", 104, { text: "We run every day." }),
      buildMessage("long", 105, {
        text: `${"filler words come first. ".repeat(4000)}Then the secret ingredient is cardamom, of course. ${"More filler. ".repeat(2000)}`,
      }),
      buildMessage("hidden", 106, { secret: "zanzibar", text: "nothing to see" }),
    ]);
    await putRecords(vault, "chat_work", "messages", [
      buildMessage("boiler-work", 100, { text: "The office boiler is fine." }),
    ]);
  });
  afterAll(() => vault.drop());

  const find = async (q: string, more = "", as = token): Promise<SearchList> =>
    world.json(as, `/v1/search?q=${encodeURIComponent(q)}${more}`);
  const listKeys = async (q: string, more = "", as = token) =>
    (await find(q, more, as)).data.map(({ record_key }) => record_key);

  it("[LAD-6] [EVI-3] [SRCH-2] returns hits with the matching passage: its path, its offsets in the original text and the read that continues there", async () => {
    const { data } = await find("cardamom");
    const [hit] = data;
    expect(hit).toMatchObject({
      record_key: "long",
      connection_id: "chat_home",
      connector_key: "chat",
      display_name: "Home",
      matched_fields: ["text"],
    });
    const [proof] = hit!.evidence;
    const record: { data: { text: string } } = await world.json(token, hit!.record_url);
    expect(
      proof!.match.map(({ start_chars, end_chars }) => sliceChars(record.data.text, start_chars, end_chars)),
    ).toEqual(["cardamom"]);
    expect(sliceChars(record.data.text, proof!.window!.start_chars, proof!.window!.end_chars)).toBe(proof!.preview);
    expect(proof!.preview).toMatch(/secret ingredient is cardamom, of course/);
    expect(proof!.preview.length).toBeLessThan(320);
    expect(proof!.truncated).toBe(true);
    expect(hit!.evidence_excerpts[0]!.preview_text).toContain("<mark>cardamom</mark>");
  });

  it("[LAD-8] lands on the match when the read is followed", async () => {
    const { data } = await find("cardamom");
    const window: { window: { text: string } } = await world.json(token, data[0]!.evidence[0]!.read.url);
    expect(window.window.text).toContain("cardamom");
  });

  it("[SRCH-10] finds inflected words with exact matches first, and supports phrases, prefixes and exclusions", async () => {
    expect((await listKeys("running"))[0]).toBe("run");
    expect((await listKeys("run"))[0]).toBe("exact");
    expect(await listKeys("runs")).toEqual(expect.arrayContaining(["run", "exact"]));
    expect(await listKeys('"leaking again"')).toEqual(["boiler"]);
    expect(await listKeys("cardam*")).toEqual(["long"]);
    expect(await listKeys("boiler -office")).toEqual(["boiler"]);
    expect((await listKeys("boiler plumber")).slice(0, 2)).toEqual(["boiler", "boiler-work"]);
    expect((await find("boiler plumber")).meta.match).toMatchObject({ mode: "words", all: 1 });
    expect((await find("who should I call about the boiler?")).meta.match.mode).toBe("question");
  });

  it("[SRCH-10] ignores case and accents, and finds scripts without spaces and pictographs", async () => {
    for (const q of ["cafe", "CAFÉ", "strasse", "Straße", "🎂"]) expect([q, await listKeys(q)]).toEqual([q, ["cafe"]]);
    for (const q of ["東京", "東京タワー", "京"]) expect([q, await listKeys(q)]).toEqual([q, ["tokyo"]]);
  });

  it("[SRCH-10] accepts any query", async () => {
    for (const q of [
      '"',
      "-",
      "*",
      "(",
      "a AND (b",
      "{c0}: x",
      "'; --",
      "\u0000",
      "\ud83d",
      "NEAR(a b)",
      "^x",
      "a:b",
      "%",
      "_",
    ]) {
      expect([q, (await world.call(token, `/v1/search?q=${encodeURIComponent(q.toWellFormed())}`)).status]).toEqual([
        q,
        200,
      ]);
    }
    expect((await world.call(token, "/v1/search?q=")).status).toBe(400);
    expect((await world.call(token, "/v1/search")).status).toBe(400);
  });

  it("[SRCH-4] narrows to streams, connections, times and filters", async () => {
    expect(await listKeys("boiler", "&connection_id=chat_work")).toEqual(["boiler-work"]);
    expect(await listKeys("boiler", "&streams=messages&filter[likes]=5")).toEqual([]);
    expect(await listKeys("boiler", "&since=2026-05-02")).toEqual([]);
    expect(await listKeys("boiler", "&until=2026-05-02")).toHaveLength(2);
    expect((await world.call(token, "/v1/search?q=x&filter[likes]=1")).status).toBe(400);
    expect((await world.call(token, "/v1/search?q=x&streams=nope")).status).toBe(403);
    expect((await world.call(token, "/v1/search?q=x&connection_id=nope")).status).toBe(404);
    expect((await world.call(token, "/v1/search?q=x&fields=text")).status).toBe(400);
    expect((await world.call(token, "/v1/search?q=x&since=yesterday")).status).toBe(400);
  });

  it("[SRCH-22] finds a date within the day of that name, wherever that day begins", async () => {
    const ledger = {
      connector_id: "https://example.org/connectors/ledger",
      connector_key: "ledger",
      version: "1.0.0",
      display_name: "Ledger",
      streams: [
        {
          name: "bookings",
          semantics: "append_only",
          primary_key: ["id"],
          cursor_field: "booked_on",
          consent_time_field: "booked_on",
          selection: { fields: true, resources: true },
          schema: {
            type: "object",
            required: ["id", "booked_on"],
            properties: {
              id: { type: "string" },
              booked_on: { type: "string", format: "date" },
              text: { type: "string", x_pdpp_role: "body" },
            },
          },
          query: { search: { lexical_fields: ["text"] } },
        },
      ],
    };
    await vault.store.register(parseManifest(ledger), now);
    await addConnection(vault.store, 1, { connectorKey: "ledger", id: "ledger", label: "Ledger" }, now);
    const days = ["2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01"];
    await putRecords(
      vault,
      "ledger",
      "bookings",
      days.map((id) => ({ data: { id, booked_on: id, text: "saffron" } })),
    );
    const reader = await world.grant({
      client: { name: "test" },
      sources: [{ connector_key: "ledger", streams: [{ name: "bookings" }] }],
    });
    const searchBetween = async (since: string, until: string) =>
      (
        await listKeys("saffron", `&since=${encodeURIComponent(since)}&until=${encodeURIComponent(until)}`, reader)
      ).sort();
    for (const offset of ["", "T00:00:00Z", "T00:00:00-05:00", "T00:00+13:00", "T00:00:00.000+05:45"])
      expect([offset, await searchBetween(`2026-03-01${offset}`, `2026-04-01${offset}`)]).toEqual([
        offset,
        days.slice(1, 3),
      ]);
    expect(await searchBetween("2026-02-28T12:00:00-05:00", "2026-03-31T12:00:00-05:00")).toEqual(days.slice(1, 3));
  });

  it("[AUT-4] does not find a word outside the grant, and its ranking ignores it", async () => {
    const issuePoorGrant = () =>
      world.grant({
        client: { name: "p" },
        sources: [
          {
            connector_key: "chat",
            streams: [
              {
                name: "messages",
                connection_ids: ["chat_home"],
                fields: ["id", "text"],
                time_range: { until: "2026-05-01T12:00:00Z" },
                resources: ["boiler", "run", "exact", "cafe", "h01"],
              },
            ],
          },
        ],
      });
    const client = await issuePoorGrant();
    const blind = await world.grant({
      client: { name: "b" },
      sources: [{ connector_key: "chat", streams: [{ name: "messages", fields: ["id", "likes"] }] }],
    });
    const before = await find("boiler run cellar", "", client);
    expect(before.data.length).toBeGreaterThan(0);
    await putRecords(
      vault,
      "chat_work",
      "messages",
      Array.from({ length: 30 }, (_, i) => buildMessage(`noise${i}`, 1, { text: "boiler run cellar run run" })),
    );
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("late", 500, { text: "boiler run cellar" }),
      buildMessage("other", 2, { text: "boiler cellar runs ".repeat(50) }),
      buildMessage("boiler", 100, {
        text: "The boiler in the cellar is leaking again, please call the plumber about the valve.",
        secret: "boiler cellar run",
      }),
    ]);
    const after = await find("boiler run cellar", "", client);
    expect(after.data.map(({ record_key, score, evidence }) => [record_key, score, evidence[0]?.preview])).toEqual(
      before.data.map(({ record_key, score, evidence }) => [record_key, score, evidence[0]?.preview]),
    );
    expect(after.meta).toEqual(before.meta);
    expect(await listKeys("zanzibar")).toEqual([]);
    expect(await listKeys("boiler", "", blind)).toEqual([]);
    expect(await listKeys("CANARY")).toEqual([]);
  });

  it("[SRCH-1] [SRCH-8] pages through each hit once, and rejects a cursor of another query or grant", async () => {
    const first = await find("message", "&limit=7");
    const seen: string[] = first.data.map(({ id }) => id);
    for (let cursor = first.next_cursor; cursor !== undefined; ) {
      const next = await find("message", `&limit=7&cursor=${cursor}`);
      seen.push(...next.data.map(({ id }) => id));
      cursor = next.next_cursor;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(first.meta.count);
    expect(first.meta.recall).toMatchObject({ complete: true, ranking_scope: "all_matches" });
    const foreign = await world.call(token, `/v1/search?q=other&cursor=${first.next_cursor}`);
    expect(((await foreign.json()) as { error: { code: string } }).error.code).toBe("invalid_cursor");
    const list = await world.call(token, `/v1/streams/messages/records?cursor=${first.next_cursor}`);
    expect(list.status).toBe(400);
  });

  it("[SRCH-6] [LAD-5] does not find changed and deleted records by their old text", async () => {
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("gone", 7, { text: "quixotic adventure" }),
      buildMessage("edit", 8, { text: "quixotic plan" }),
    ]);
    expect((await listKeys("quixotic")).sort()).toEqual(["edit", "gone"]);
    await putRecords(vault, "chat_home", "messages", [
      { key: "gone", op: "delete" },
      buildMessage("edit", 8, { text: "sensible plan" }),
    ]);
    expect(await listKeys("quixotic")).toEqual([]);
    expect(await listKeys("sensible")).toEqual(["edit"]);
  });
});

describe("view=evidence", () => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault("sqlite");
    world = await createSample(vault);
    token = await world.grant(everything);
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("long", 200, { text: "A long story. ".repeat(500) }),
    ]);
  });
  afterAll(() => vault.drop());

  interface Card {
    object: string;
    id: string;
    title: string;
    complete: boolean;
    slots: { body: { preview: string; read: { url: string } }[] };
  }

  it("[EVI-4] [EVI-7] returns cards instead of payloads for records, record and search, and leaves the envelopes alone", async () => {
    const plain: { data: { object: string }[] } = await world.json(token, "/v1/streams/messages/records?limit=1");
    const list: { data: Card[]; has_more: boolean; next_cursor: string } = await world.json(
      token,
      "/v1/streams/messages/records?limit=1&view=evidence",
    );
    expect(plain.data[0]!.object).toBe("record");
    expect(list.data[0]).toMatchObject({
      object: "evidence_card",
      id: "chat_home/messages:long",
      complete: false,
      record_version: "1",
    });
    expect(list.has_more).toBe(true);
    const one: Card = await world.json(
      token,
      "/v1/streams/messages/records/long?connection_id=chat_home&view=evidence",
    );
    expect(one).toMatchObject({ object: "evidence_card", id: "chat_home/messages:long" });
    const found: { data: { card: Card }[] } = await world.json(token, "/v1/search?q=story&view=evidence");
    expect(found.data[0]!.card).toEqual(list.data[0]);
    const [body] = one.slots.body;
    const next: { window: { text: string } } = await world.json(token, body!.read.url);
    expect("A long story. ".repeat(500)).toContain(next.window.text);
  });

  it.each(surfaceEngines)(
    "[SRCH-1] [AUT-4] finds a stream by its new searchable fields that are granted, on %s",
    async (engine) => {
      const changing = await createVault(engine);
      try {
        const changed = await createSample(changing);
        const fields = ["id", "sent_at", "text"];
        const streams = [{ name: "messages", fields }];
        const reader = await changed.grant({
          client: { name: "test" },
          sources: [{ connector_key: "chat", streams }],
        });
        const searchIds = async (q: string) =>
          (await changed.json<SearchList>(reader, `/v1/search?q=${q}`)).data.map(({ record_key }) => record_key);
        await putRecords(changing, "chat_home", "messages", [
          buildMessage("a", 200, { text: "heliotrope", secret: "marzipan" }),
        ]);
        expect(await searchIds("heliotrope")).toEqual(["a"]);
        for (const searched of [[], ["text", "secret"], ["secret"]]) {
          const [messages, ...others] = chatManifest.streams as JsonObject[];
          const query = { ...(messages!.query as JsonObject), search: { lexical_fields: searched } };
          await changing.store.register(
            parseManifest({ ...chatManifest, streams: [{ ...messages, query }, ...others] }),
            now,
          );
          await changing.store.reindex();
          expect(await searchIds("heliotrope")).toEqual(searched.includes("text") ? ["a"] : []);
          expect(await searchIds("marzipan")).toEqual([]);
        }
      } finally {
        await changing.drop();
      }
    },
  );
});
