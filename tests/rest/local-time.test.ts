import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import type { RecordList, SearchList } from "@pdpp/contract/wire";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, everything, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBackup, restore } from "#server/backup/backup";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";

const agendaManifest: JsonObject = {
  connector_key: "agenda",
  version: "1",
  streams: [
    {
      name: "events",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "starts",
      consent_time_field: "starts",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id", "starts"],
        properties: {
          id: { type: "string" },
          starts: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
          what: { type: "string" },
          place: { type: ["string", "null"], x_pdpp_type: "time-zone" },
          whole: { type: ["boolean", "null"], x_pdpp_type: "all-day" },
          // A field's name alone has no effect.
          time_zone: { type: ["string", "null"] },
        },
      },
      query: { search: { lexical_fields: ["what"] } },
    },
  ],
};

const buildEvent = (id: string, starts: string, more: JsonObject = {}): object => ({
  data: { id, starts, what: `appointment ${id}`, ...more },
});

describe.each(surfaceEngines)("local times on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  let narrow: string;
  const openOwner = () => createOwner({ store: vault.store, ownerNo: 1, now: () => now });
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await vault.store.register(parseManifest(agendaManifest), now);
    await addConnection(vault.store, 1, { connectorKey: "agenda", id: "agenda" }, now);
    await putRecords(vault, "agenda", "events", [
      buildEvent("lesson", "2026-06-28T14:30:00Z", { time_zone: "Asia/Tokyo" }),
      buildEvent("tokyo", "2026-06-28T14:30:00Z", { place: "Asia/Tokyo" }),
      buildEvent("offset", "2026-06-28T14:30:00-05:00", { place: "Asia/Tokyo" }),
      buildEvent("utc", "2026-12-01T14:30:00.000Z", { place: "Etc/UTC" }),
      buildEvent("nonsense", "2026-12-01T14:30:00Z", { place: "the moon" }),
      buildEvent("holiday", "2026-05-01T00:00:00Z", { whole: true }),
    ]);
    await putRecords(vault, "chat_home", "messages", [
      buildMessage("late", 0, { sent_at: "2026-02-28T23:30:00Z", text: "a lantern" }),
      buildMessage("noon", 0, { sent_at: "2026-03-01T11:00:00Z", text: "a lantern" }),
    ]);
    const buildAgenda = (streams: JsonObject) => ({
      ...everything,
      sources: [...everything.sources, { connector_key: "agenda", streams: [streams] }] as typeof everything.sources,
    });
    token = await world.grant(buildAgenda({ name: "*" }));
    narrow = await world.grant(buildAgenda({ name: "events", fields: ["id", "starts", "what"] }));
    await openOwner().setTimeZone("europe/berlin");
  });
  afterAll(() => vault.drop());

  const readCards = async (as = token, more = ""): Promise<Record<string, JsonObject>> => {
    const { data } = await world.json<RecordList>(as, `/v1/streams/events/records?view=evidence${more}`);
    return Object.fromEntries(data.map((card) => [card.record_id as string, card as unknown as JsonObject]));
  };
  const listTimes = (all: Record<string, JsonObject>): JsonObject =>
    Object.fromEntries(Object.entries(all).map(([id, { local_time }]) => [id, local_time ?? null]));

  it("[EVI-30] [EVI-31] shows the record's time zone, or else the owner's, and keeps the original text", async () => {
    const all = await readCards();
    expect(listTimes(all)).toEqual({
      lesson: "2026-06-28T16:30:00+02:00",
      tokyo: "2026-06-28T23:30:00+09:00",
      offset: null,
      utc: "2026-12-01T15:30:00+01:00",
      nonsense: "2026-12-01T15:30:00+01:00",
      holiday: "2026-05-01",
    });
    expect(all.lesson).toMatchObject({ event_time: "2026-06-28T14:30:00Z", title: "events, 2026-06-28 16:30 +02:00" });
    expect(all.offset).toMatchObject({ title: "events, 2026-06-28 14:30 -05:00" });
    expect(all.holiday).toMatchObject({ title: "events, 2026-05-01" });
  });

  it("[EVI-30] shows the same time in hits, documents and field windows", async () => {
    const [hit] = (await world.json<SearchList>(token, "/v1/search?q=tokyo")).data;
    expect(hit).toMatchObject({ event_time: "2026-06-28T14:30:00Z", local_time: "2026-06-28T23:30:00+09:00" });
    const place = "/v1/streams/events/records/tokyo";
    const document = await world.json<JsonObject>(token, `${place}?view=document`);
    expect(document).toMatchObject({
      title: "events, 2026-06-28 23:30 +09:00",
      metadata: { event_time: "2026-06-28T14:30:00Z", local_time: "2026-06-28T23:30:00+09:00" },
    });
    const window = await world.json<JsonObject>(token, `${place}/field-window?field=what`);
    expect(window).toMatchObject({ local_time: "2026-06-28T23:30:00+09:00" });
  });

  it("[EVI-31] ignores a time zone that is not granted or not requested", async () => {
    const berlin = "2026-06-28T16:30:00+02:00";
    expect(listTimes(await readCards(narrow))).toMatchObject({ tokyo: berlin, holiday: "2026-05-01T02:00:00+02:00" });
    expect(listTimes(await readCards(token, "&fields=starts,what"))).toMatchObject({ tokyo: berlin });
    expect(listTimes(await readCards(token, "&fields=what"))).toMatchObject({ tokyo: null });
  });

  const searchIds = async (more: string): Promise<string[]> =>
    (await world.json<SearchList>(token, `/v1/search?q=lantern${more}`)).data
      .map(({ record_key }) => record_key)
      .sort();

  it("[EVI-33] reads since and until in the owner's time zone, or exactly with an offset", async () => {
    expect(await searchIds("&since=2026-03-01")).toEqual(["late", "noon"]);
    expect(await searchIds("&until=2026-03-01")).toEqual([]);
    expect(await searchIds("&since=2026-03-01T00:15&until=2026-03-01T00:45")).toEqual(["late"]);
    expect(await searchIds("&until=2026-03-01T00:15")).toEqual([]);
    expect(await searchIds("&since=2026-03-01T00:00Z")).toEqual(["noon"]);
    expect(await searchIds(`&since=${encodeURIComponent("2026-03-01T00:00:00+00:00")}`)).toEqual(["noon"]);
  });

  it("[EVI-33] counts by the days that since and until mean", async () => {
    const { meta } = await world.json<SearchList>(token, "/v1/search?q=lantern&spread=day");
    expect(meta.spread?.times).toEqual([{ since: "2026-03-01", until: "2026-03-02", count: 2 }]);
  });

  it("[OWN-4] checks the owner's time zone, keeps it in a backup and can reset it", async () => {
    await expect(openOwner().setTimeZone("Atlantis")).rejects.toThrow(/not a time zone.*Europe\/Berlin/);
    await expect(openOwner().setTimeZone("+02:00")).rejects.toThrow(/not a time zone/);
    expect(await openOwner().self()).toMatchObject({ time_zone: "Europe/Berlin", is_time_zone_set: true });
    const directory = mkdtempSync(join(tmpdir(), "pdpp-zone-"));
    const file = join(directory, "vault.pdpp");
    await createBackup(vault, file);
    const restored = await createVault(engine, undefined, async (place) => void (await restore(place, file, [])));
    const self = await createOwner({ store: restored.store, ownerNo: 1, now: () => now }).self();
    expect(self).toMatchObject({ time_zone: "Europe/Berlin" });
    await restored.drop();
    rmSync(directory, { recursive: true });
    await openOwner().setTimeZone(null);
    expect(await openOwner().self()).toMatchObject({ time_zone: "UTC", is_time_zone_set: false });
    expect((await readCards()).lesson).toMatchObject({ title: "events, 2026-06-28 14:30 UTC" });
    expect(listTimes(await readCards())).toMatchObject({ lesson: null, tokyo: "2026-06-28T23:30:00+09:00" });
    await openOwner().setTimeZone("Europe/Berlin");
  });
});
