import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { now, put, type Sample, sample } from "../support/sample.ts";
import { engineNames, newVault, type TestVault } from "../support/vaults.ts";

interface Page {
  value?: number;
  groups: { key: unknown; count: number }[];
  other_count: number;
  has_more: boolean;
  next_cursor?: string;
  unit?: string;
  by_unit?: { unit: string | null; count: number; read?: { url: string } }[];
  links: { next: string | null };
  meta: { warnings: { code: string; message: string; param?: string }[] };
}

const kassa: JsonObject = {
  connector_key: "kassa",
  version: "1",
  display_name: "Kassa",
  streams: [
    {
      name: "sales",
      semantics: "append_only",
      primary_key: ["id"],
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          day: { type: ["string", "null"], format: "date" },
          article: { type: ["string", "null"] },
          price: { type: ["number", "null"], x_pdpp_unit_field: "currency" },
          currency: { type: ["string", "null"] },
        },
      },
      query: {
        aggregations: {
          count: true,
          sum: ["price"],
          max: ["price"],
          group_by: ["article", "currency"],
          group_by_time: ["day"],
        },
      },
    },
  ],
};

const dayOf = (i: number): string => new Date(Date.parse("2025-01-01") + i * 86_400_000).toISOString().slice(0, 10);
const sales = Array.from({ length: 260 }, (_, i) => ({
  id: `s${i}`,
  day: i === 0 ? null : dayOf(i),
  // Most articles are as frequent as others, so that the value decides; some records have none.
  article: i % 130 === 7 ? null : `article ${String(i % 130).padStart(3, "0")}`,
  price: i % 50 === 0 ? null : 1.5,
  currency: i % 50 === 0 ? "CHF" : ["EUR", "GBP", "JPY"][i % 3]!,
}));

describe.each(engineNames)("aggregates on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await newVault(engine);
    world = await sample(vault);
    await vault.store.register(parseManifest(kassa), now);
    await addConnection(vault.store, 1, { connectorKey: "kassa", id: "kassa_1" }, now);
    await put(
      vault,
      "kassa_1",
      "sales",
      sales.map((data) => ({ data })),
    );
    token = await world.grant({
      client: { name: "t" },
      sources: [{ connector_key: "kassa", streams: [{ name: "sales" }] }],
    });
  });
  afterAll(() => vault.drop());

  const path = (query: string): string => `/v1/streams/sales/aggregate?${query}`;
  const page = (query: string, as = token): Promise<Page> => world.json(as, path(query));

  async function walked(query: string): Promise<Page["groups"]> {
    const groups: Page["groups"] = [];
    for (let next: string | null = path(query); next !== null; ) {
      const here: Page = await world.json(token, next);
      groups.push(...here.groups);
      const seen = groups.reduce((sum, { count }) => sum + count, 0);
      expect(here.other_count).toBe(sales.length - seen);
      expect(here.has_more).toBe(here.links.next !== null);
      next = here.links.next;
    }
    return groups;
  }

  it.each([1, 7, 64, 100])("[AGG-1] pages of %i groups show each group once, largest first", async (limit) => {
    const groups = await walked(`metric=count&group_by=article&limit=${limit}`);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(130);
    expect(groups).toHaveLength(130);
    expect(groups.map(({ count }) => count)).toEqual(groups.map(({ count }) => count).toSorted((a, b) => b - a));
    expect(groups.at(-1)?.key).toBeNull();
  });

  it.each([1, 50, 100])(
    "[AGG-1] pages of %i days show each day once, in order, records without one last",
    async (limit) => {
      const days = await walked(`metric=count&group_by_time=day&granularity=day&limit=${limit}`);
      expect(days.map(({ key }) => key)).toEqual([...sales.slice(1).map(({ day }) => day), null]);
    },
  );

  it("[AGG-1] a cursor belongs to its query", async () => {
    const { next_cursor: cursor } = await page("metric=count&group_by=article");
    for (const query of [
      "metric=count&group_by=currency",
      "metric=count&group_by=article&filter[currency]=EUR",
      "metric=count&group_by_time=day&granularity=day",
    ]) {
      const response = await world.call(token, path(`${query}&cursor=${cursor}`));
      expect([query, response.status, (await response.json()) as object]).toMatchObject([
        query,
        400,
        { error: { code: "invalid_cursor", param: "cursor" } },
      ]);
    }
    expect((await world.call(token, path(`metric=count&cursor=${cursor}`))).status).toBe(400);
  });

  it.each(["sum", "max"])(
    "[AGG-2] a %s over several units says so, and offers the same for each unit",
    async (metric) => {
      const mixed = await page(`metric=${metric}&field=price`);
      expect(mixed.meta.warnings).toMatchObject([{ code: "mixed_units", param: "field", field: "currency" }]);
      expect(mixed.meta.warnings[0]?.message).toMatch(/price is in several units \(\w{3}, \w{3}, \w{3}\)/);
      expect(mixed.unit).toBeUndefined();
      // Records without a price have no part in it, whatever their currency.
      expect(mixed.by_unit?.map(({ unit }) => unit).toSorted()).toEqual(["EUR", "GBP", "JPY"]);
      for (const { unit, count, read } of mixed.by_unit ?? []) {
        const one = await world.json<Page>(token, read?.url ?? "");
        const held = sales.filter(({ currency, price }) => currency === unit && price !== null);
        expect([count, one.value]).toEqual([held.length, metric === "sum" ? held.length * 1.5 : 1.5]);
        expect([one.unit, one.meta.warnings, one.by_unit]).toEqual([unit, [], undefined]);
      }
    },
  );

  it("[AGG-2] [AUT-4] units that are not granted are not told", async () => {
    const poor = await world.grant({
      client: { name: "poor" },
      sources: [{ connector_key: "kassa", streams: [{ name: "sales", fields: ["id", "price"] }] }],
    });
    const { meta, unit, by_unit: units } = await page("metric=sum&field=price", poor);
    expect([meta.warnings, unit, units]).toEqual([[], undefined, undefined]);
  });
});
