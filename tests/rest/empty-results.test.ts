import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";

const club: JsonObject = {
  connector_key: "club",
  version: "1",
  display_name: "Club",
  streams: [
    {
      name: "letters",
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "sent_at",
      consent_time_field: "sent_at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          sender: { type: "string" },
          town: { type: "string" },
          text: { type: "string" },
          sent_at: { type: "string", format: "date-time" },
        },
      },
      query: {
        search: { lexical_fields: ["sender", "text"] },
        range_filters: { sent_at: ["gte", "lt"] },
        aggregations: { count: true, group_by: ["sender"] },
      },
    },
  ],
};

const senders = [
  "Jonas Weidner",
  "Jonas Åkerlund",
  "Maria Jonasson",
  "Ada",
  "ÉMILE ZOLA",
  `${"long ".repeat(90)}jonas`,
];
const letters = senders.map((sender, i) => ({
  id: `l${i}`,
  sender,
  town: i % 2 === 0 ? "Kiel" : "Bremen",
  text: `A letter about the garden, number ${i}.`,
  sent_at: `202${i < 2 ? 5 : 6}-03-0${i + 1}T10:00:00Z`,
}));

interface Page {
  data: { id: string }[];
  meta: {
    warnings: {
      code: string;
      message: string;
      param?: string;
      detail?: { close_values: string[] };
      reads?: { operation: string; url: string }[];
    }[];
  };
}

describe.each(surfaceEngines)("empty results on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  let limited: string;
  let chosen: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await vault.store.register(parseManifest(club), now);
    for (const id of ["club_1", "club_2"]) {
      await addConnection(vault.store, 1, { connectorKey: "club", id }, now);
      await putRecords(
        vault,
        id,
        "letters",
        letters.map((data) => ({ data })),
      );
    }
    const issueGrant = (stream: object) =>
      world.grant({
        client: { name: "t" },
        sources: [{ connector_key: "club", streams: [{ name: "letters", ...stream }] }],
      } as never);
    token = await issueGrant({});
    limited = await issueGrant({ time_range: { since: "2026-01-01T00:00:00Z" } });
    chosen = await issueGrant({ resources: ["l1", "l3"] });
  });
  afterAll(() => vault.drop());

  const list = (query: string, as = token): Promise<Page> => world.json(as, `/v1/streams/letters/records?${query}`);
  const closeTo = async (value: string, as = token) =>
    (await list(`filter[sender]=${encodeURIComponent(value)}`, as)).meta.warnings[0]?.detail?.close_values;

  it("[PAG-9] [PAG-10] says that filters are exact, and offers similar values and a search", async () => {
    const { data, meta } = await list("filter[sender]=jonas&limit=3");
    expect(data).toEqual([]);
    expect(meta.warnings).toMatchObject([
      {
        code: "no_exact_match",
        param: "filter[sender]",
        message:
          'filters match exactly, and no record has sender "jonas"; close values: "Jonas Weidner", "Jonas Åkerlund", "Maria Jonasson"',
        detail: { field: "sender", close_values: ["Jonas Weidner", "Jonas Åkerlund", "Maria Jonasson"] },
      },
    ]);
    const [again, search] = meta.warnings[0]?.reads ?? [];
    expect((await world.json<Page>(token, again!.url)).data).toHaveLength(2);
    expect((await world.json<Page>(token, search!.url)).data.length).toBeGreaterThan(2);
  });

  it("[PAG-10] ignores case and accents when it compares, in both directions", async () => {
    expect(await closeTo("Émile")).toEqual(["ÉMILE ZOLA"]);
    expect(await closeTo("emile zola")).toEqual(["ÉMILE ZOLA"]);
    expect(await closeTo("Ada Lovelace")).toEqual(["Ada"]);
    expect(await closeTo("Nobody")).toEqual([]);
    expect(await closeTo("!?")).toEqual([]);
  });

  it("[PAG-10] [AUT-4] names no value of a record that the grant does not show", async () => {
    expect(await closeTo("jonas", limited)).toEqual(["Maria Jonasson"]);
    expect(await closeTo("jonas", chosen)).toEqual(["Jonas Åkerlund"]);
    expect(await closeTo("Jonas Weidner", limited)).toEqual([]);
  });

  it("[PAG-10] names no values of a field that cannot be grouped", async () => {
    const { meta } = await list("filter[town]=kiel");
    expect(meta.warnings).toMatchObject([{ code: "no_exact_match", detail: { close_values: [] } }]);
    expect(meta.warnings[0]?.reads?.map(({ operation }) => operation)).toEqual(["search"]);
  });

  it("[PAG-9] distinguishes values that never occur together from values that do not occur", async () => {
    const { meta } = await list("filter[sender]=Ada&filter[town]=Kiel");
    expect(meta.warnings).toMatchObject([{ code: "no_exact_match", param: "filter" }]);
    expect(meta.warnings[0]?.message).toMatch(/each value occurs here, but no record has all of them$/);
    const late = await list("filter[sender]=Ada&filter[sent_at][gte]=2030-01-01");
    expect(late.meta.warnings[0]?.message).toMatch(/each value occurs/);
  });

  it("[PAG-9] explains that a timestamp is not a day", async () => {
    const { meta } = await list("filter[sent_at]=2026-03-03");
    expect(meta.warnings[0]?.message).toMatch(/sent_at is one moment; use gte and lt for a span$/);
  });

  it("[PAG-9] adds no such warning to ranges, unfiltered lists and later pages", async () => {
    expect((await list("filter[sent_at][gte]=2030-01-01")).meta.warnings).toEqual([]);
    expect((await list("filter[sender]=Ada")).meta.warnings).toEqual([]);
  });

  it("[PAG-9] adds the same warning to an aggregate over no records", async () => {
    const asked = "/v1/streams/letters/aggregate?metric=count&filter[sender]=jonas";
    const { meta, value } = await world.json<Page & { value: number }>(token, asked);
    expect([value, meta.warnings[0]?.code]).toEqual([0, "no_exact_match"]);
    const again = await world.json<{ value: number }>(token, meta.warnings[0]!.reads![0]!.url);
    expect(again.value).toBe(2);
  });
});
