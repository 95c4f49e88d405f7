import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { createSample, now, putRecords, type Sample } from "@pdpp/test-support/vaults/sample";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";

interface Value {
  value?: number | string | null;
  unit?: string;
  by_unit?: { unit: string | null; count: number; value: number | null }[];
}

interface Page extends Value {
  groups: ({ key: unknown; count: number } & Value)[];
  other_count: number;
  has_more: boolean;
  next_cursor?: string;
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
          weight: { type: "number" },
          debt: { type: "number", x_pdpp_role: "amount" },
        },
      },
      query: {
        range_filters: { day: ["gte", "gt", "lte", "lt"] },
        aggregations: {
          count: true,
          sum: ["price", "weight", "debt"],
          min: ["price", "day"],
          max: ["price", "day"],
          count_distinct: ["article"],
          group_by: ["article", "currency"],
          group_by_time: ["day"],
        },
      },
    },
  ],
};

const getDay = (i: number): string => new Date(Date.parse("2025-01-01") + i * 86_400_000).toISOString().slice(0, 10);
const sales = Array.from({ length: 260 }, (_, i) => ({
  id: `s${i}`,
  day: i === 0 ? null : getDay(i),
  // Most articles are equally frequent, so that the value decides the order. Some records have none.
  article: i % 130 === 7 ? null : `article ${String(i % 130).padStart(3, "0")}`,
  price: i % 50 === 0 ? null : getPrice(i),
  currency: i % 50 === 0 ? "CHF" : i % 41 === 1 ? null : ["EUR", "GBP", "JPY"][i % 3]!,
  weight: 0.1,
  debt: 2,
}));

/** Decimals that floating-point addition gets wrong, and one value too small for millionths. */
function getPrice(i: number): number {
  return i === 77 ? 0.123456789 : ((i * 7) % 30) / 10;
}

/** Sums decimals exactly, in whole billionths. */
const sumDecimals = (values: readonly number[]): number =>
  Number(values.reduce((sum, value) => sum + BigInt(Math.round(value * 1e9)), 0n)) / 1e9;

/** Aggregates the amounts of some records, one row per unit, the most frequent unit first. */
function aggregateByUnit(metric: string, records: readonly (typeof sales)[number][]) {
  const held = records.filter(({ price }) => price !== null);
  const units = [...new Set(held.map(({ currency }) => currency))];
  return units
    .map((unit) => {
      const values = held.flatMap(({ price, currency }) => (currency === unit ? [price!] : []));
      const value =
        metric === "sum" ? sumDecimals(values) : metric === "min" ? Math.min(...values) : Math.max(...values);
      return { unit, count: values.length, value };
    })
    .toSorted((a, b) => b.count - a.count || (a.unit === null ? 1 : b.unit === null ? -1 : a.unit < b.unit ? -1 : 1));
}

/** The same as it appears in an answer: one value with its unit, or a value for each of several units. */
function computeExpectedValue(metric: string, records: readonly (typeof sales)[number][]): Value {
  const units = aggregateByUnit(metric, records);
  if (units.length > 1) return { value: null, by_unit: units };
  const [only] = units;
  if (only === undefined) return { value: null };
  return only.unit === null ? { value: only.value } : { value: only.value, unit: only.unit };
}

describe.each(surfaceEngines)("aggregates on %s", (engine) => {
  let vault: TestVault;
  let world: Sample;
  let token: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    world = await createSample(vault);
    await vault.store.register(parseManifest(kassa), now);
    await addConnection(vault.store, 1, { connectorKey: "kassa", id: "kassa_1" }, now);
    await putRecords(
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

  const buildPath = (query: string): string => `/v1/streams/sales/aggregate?${query}`;
  const readPage = (query: string, as = token): Promise<Page> => world.json(as, buildPath(query));

  async function walkPages(query: string): Promise<Page["groups"]> {
    const groups: Page["groups"] = [];
    for (let next: string | null = buildPath(query); next !== null; ) {
      const here: Page = await world.json(token, next);
      groups.push(...here.groups);
      const seen = groups.reduce((sum, { count }) => sum + count, 0);
      expect(here.other_count).toBe(sales.length - seen);
      expect(here.has_more).toBe(here.links.next !== null);
      next = here.links.next;
    }
    return groups;
  }

  it.each([1, 7, 64, 100])("[AGG-1] shows each group once in pages of %i, largest first", async (limit) => {
    const groups = await walkPages(`metric=count&group_by=article&limit=${limit}`);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(130);
    expect(groups).toHaveLength(130);
    expect(groups.map(({ count }) => count)).toEqual(groups.map(({ count }) => count).toSorted((a, b) => b - a));
    expect(groups.at(-1)?.key).toBeNull();
  });

  it.each([1, 50, 100])(
    "[AGG-1] shows each day once in pages of %i, in order, with undated records last",
    async (limit) => {
      const days = await walkPages(`metric=count&group_by_time=day&granularity=day&limit=${limit}`);
      expect(days.map(({ key }) => key)).toEqual([...sales.slice(1).map(({ day }) => day), null]);
    },
  );

  it.each([
    ["gte", "lt"],
    ["gt", "lte"],
  ] as const)("[AGG-1] counts the part of each period that a filter includes: %s, %s", async (since, until) => {
    const bounds = `filter[day][${since}]=2025-02-10&filter[day][${until}]=2025-04-20`;
    const { groups: months } = await readPage(`metric=sum&field=weight&group_by_time=day&granularity=month&${bounds}`);
    const first = since === "gte" ? 10 : 11;
    const last = until === "lte" ? 20 : 19;
    expect(months.map(({ key, count, value }) => [key, count, value])).toEqual([
      ["2025-02-01", 29 - first, (29 - first) / 10],
      ["2025-03-01", 31, 3.1],
      ["2025-04-01", last, last / 10],
    ]);
    const later = "metric=count&group_by_time=day&granularity=month&filter[day][gte]=2027-01-01";
    expect((await readPage(later)).groups).toEqual([]);
  });

  it("[AGG-1] rejects a cursor of another query", async () => {
    const { next_cursor: cursor } = await readPage("metric=count&group_by=article");
    for (const query of [
      "metric=count&group_by=currency",
      "metric=count&group_by=article&filter[currency]=EUR",
      "metric=count&group_by_time=day&granularity=day",
    ]) {
      const response = await world.call(token, buildPath(`${query}&cursor=${cursor}`));
      expect([query, response.status, (await response.json()) as object]).toMatchObject([
        query,
        400,
        { error: { code: "invalid_cursor", param: "cursor" } },
      ]);
    }
    expect((await world.call(token, buildPath(`metric=count&cursor=${cursor}`))).status).toBe(400);
  });

  it.each(["sum", "min", "max"])(
    "[AGG-3] has a value for each of several units of a %s, and none across them",
    async (metric) => {
      const mixed = await readPage(`metric=${metric}&field=price`);
      expect(mixed).toMatchObject(computeExpectedValue(metric, sales));
      expect(mixed.by_unit?.map(({ unit }) => unit)).toEqual(["EUR", "GBP", "JPY", null]);
      expect(mixed.unit).toBeUndefined();
      expect(mixed.meta.warnings).toMatchObject([{ code: "mixed_units", param: "field", field: "currency" }]);
      const one = await readPage(`metric=${metric}&field=price&filter[currency]=GBP`);
      expect(one).toMatchObject(
        computeExpectedValue(
          metric,
          sales.filter(({ currency }) => currency === "GBP"),
        ),
      );
      expect([one.unit, one.meta.warnings, one.by_unit]).toEqual(["GBP", [], undefined]);
    },
  );

  it("[AGG-2] [AUT-4] does not show units outside the grant", async () => {
    const poor = await world.grant({
      client: { name: "poor" },
      sources: [{ connector_key: "kassa", streams: [{ name: "sales", fields: ["id", "price"] }] }],
    });
    const { meta, unit, by_unit: units } = await readPage("metric=sum&field=price", poor);
    expect([meta.warnings, unit, units]).toEqual([[], undefined, undefined]);
  });

  it.each(["sum", "min", "max"])(
    "[AGG-4] shows the %s of each article with its unit, over all pages",
    async (metric) => {
      const groups = await walkPages(`metric=${metric}&field=price&group_by=article&limit=37`);
      expect(groups).toHaveLength(130);
      for (const { key, count, ...value } of groups) {
        const members = sales.filter(({ article }) => article === key);
        expect([key, count, value]).toEqual([key, members.length, computeExpectedValue(metric, members)]);
      }
    },
  );

  it.each([
    ["sum", -1],
    ["max", -1],
    ["min", 1],
  ] as const)("[AGG-4] sorts groups by their %s in the most common unit, the others last", async (metric, way) => {
    const [main] = aggregateByUnit(metric, sales);
    const groups = await walkPages(`metric=${metric}&field=price&group_by=article&limit=37`);
    const numbers = groups.map(({ key }) => {
      const members = sales.filter(({ article }) => article === key);
      return aggregateByUnit(metric, members).find(({ unit }) => unit === main!.unit)?.value;
    });
    const first = numbers.indexOf(undefined);
    expect(first).toBeGreaterThan(0);
    expect(numbers.slice(first).every((number) => number === undefined)).toBe(true);
    const ranked = numbers.slice(0, first).map((number) => way * number!);
    expect(ranked).toEqual(ranked.toSorted((a, b) => a - b));
  });

  it.each(["sum", "min", "max"])(
    "[AGG-4] shows the %s of each month with its units, over all pages",
    async (metric) => {
      const groups = await walkPages(`metric=${metric}&field=price&group_by_time=day&granularity=month&limit=4`);
      expect(groups.map(({ key }) => key)).toEqual([
        ...new Set(sales.slice(1).map(({ day }) => `${day!.slice(0, 7)}-01`)),
        null,
      ]);
      for (const { key, count, ...value } of groups) {
        const members = sales.filter(({ day }) =>
          key === null ? day === null : day?.startsWith(String(key).slice(0, 7)),
        );
        expect([key, count, value]).toEqual([key, members.length, computeExpectedValue(metric, members)]);
      }
    },
  );

  it("[AGG-4] shows plain values for grouped fields without a unit, with dates as the records write them", async () => {
    const { groups } = await readPage("metric=sum&field=weight&group_by=currency");
    expect(groups.map(({ key, value }) => [key, value])).toEqual(
      groups.map(({ key, count }) => [key, Math.round(count) / 10]),
    );
    const days = await readPage("metric=max&field=day&group_by=currency");
    for (const { key, value } of days.groups)
      expect(value).toBe(sales.findLast(({ currency, day }) => currency === key && day !== null)?.day);
  });

  it("[AGG-4] rejects distinct counts in groups and says what is supported", async () => {
    const response = await world.call(token, buildPath("metric=count_distinct&field=article&group_by=currency"));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      {
        error: { code: "invalid_request", param: "metric", message: expect.stringMatching(/count, sum, min and max/) },
      },
    ]);
  });

  it("[AGG-5] says when an amount has no visible unit", async () => {
    const { meta, value } = await readPage("metric=sum&field=debt");
    expect(value).toBe(520);
    expect(meta.warnings).toMatchObject([{ code: "unit_not_visible", param: "field" }]);
    const grouped = await readPage("metric=sum&field=debt&group_by=currency");
    expect(grouped.meta.warnings).toMatchObject([{ code: "unit_not_visible", param: "field" }]);
    expect((await readPage("metric=sum&field=weight")).meta.warnings).toEqual([]);
  });

  it("[AGG-6] shows an amount's unit in a projection if the grant includes it", async () => {
    const poor = await world.grant({
      client: { name: "poor" },
      sources: [{ connector_key: "kassa", streams: [{ name: "sales", fields: ["id", "price"] }] }],
    });
    for (const [as, fields] of [
      [token, ["currency", "price"]],
      [poor, ["price"]],
    ] as const) {
      const list: { data: { data: object }[] } = await world.json(as, "/v1/streams/sales/records?fields=price&limit=3");
      expect(list.data.map(({ data }) => Object.keys(data).toSorted())).toEqual([fields, fields, fields]);
      const one: { data: object } = await world.json(as, "/v1/streams/sales/records/s1?fields=price");
      expect(Object.keys(one.data).toSorted()).toEqual(fields);
    }
  });
});
