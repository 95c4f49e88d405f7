import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, createSample, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { findLink, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { createOwner } from "#server/owner/owner";
import { type Stage, stage } from "../oauth/agent.ts";

const range = ["gte", "gt", "lte", "lt"];

const orders: JsonObject = {
  connector_key: "orders",
  version: "1",
  display_name: "Orders",
  streams: [
    {
      name: "orders",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "at",
      schema: {
        type: "object",
        required: ["id", "at"],
        properties: {
          id: { type: "string" },
          at: { type: "string", format: "date", x_pdpp_role: "event-time" },
          shop: { type: "string" },
          price: { type: "number", x_pdpp_role: "amount", x_pdpp_unit_field: "currency" },
          currency: { type: "string" },
          "-odd": { type: "string" },
        },
      },
      query: {
        range_filters: { at: range },
        aggregations: {
          count: true,
          sum: ["price"],
          min: ["price"],
          max: ["price"],
          group_by: ["shop", "currency"],
          group_by_time: ["at"],
        },
      },
    },
  ],
};

describe.each(surfaceEngines)("a table, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let owner: Person;
  const table = `${site}/stream?source=orders_1&stream=orders`;
  beforeAll(async () => {
    vault = await createVault(engine);
    await createSample(vault);
    await vault.store.register(parseManifest(orders), now);
    await addConnection(vault.store, 1, { connectorKey: "orders", id: "orders_1" }, now);
    const buildLine = (id: string, at: string, shop: string, price: number, currency: string) => ({
      data: { id, at, shop, price, currency },
    });
    await putRecords(vault, "orders_1", "orders", [
      buildLine("a", "2026-01-05", "Korb", 10, "EUR"),
      buildLine("b", "2026-01-20", "Korb", 2.5, "EUR"),
      buildLine("c", "2026-03-01", "=HYPERLINK(1)", 4, "EUR"),
      buildLine("d", "2026-03-02", "Berg", 99, "CHF"),
    ]);
    const many = Array.from({ length: 110 }, (_, i) => buildMessage(`y${i}`, 200 + i, { channel_id: "busy" }));
    await putRecords(vault, "chat_work", "messages", many);
    on = stage(vault);
    owner = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const listBars = (html: string) => [...html.matchAll(/<li title="([^"]+)">/g)].map(([, title]) => title);

  it("[CSL-113] opens a record whose title is empty by the title of its card", async () => {
    await putRecords(vault, "chat_home", "channels", [{ data: { id: "empty", title: " " } }]);
    const { html } = await owner.open(`${site}/stream?source=chat_home&stream=channels`);
    const openers = [...html.matchAll(/<td class="opener"[^>]*><a [^>]*>(.*?)<\/a>/g)].map(([, words = ""]) =>
      words.replace(/<[^>]*>/g, "").trim(),
    );
    expect(openers.length).toBeGreaterThan(1);
    expect(openers).not.toContain("");
  });

  it("[CSL-120] sorts by a field whose name starts with a sign", async () => {
    for (const order of ["asc", "desc"])
      expect((await owner.open(`${table}&sort=-odd&order=${order}`)).status).toBe(200);
  });

  it("[CSL-12] counts by month and by value, and links each bar to its records", async () => {
    const months = await owner.open(`${table}&total=count&by=month%3Aat`);
    expect(listBars(months.html)).toEqual(["Jan 2026: 2", "Feb 2026: 0", "Mar 2026: 2"]);
    const march = await owner.open(findLink(months, "Mar 2026"));
    expect(march.html.match(/<tr><td/g)?.length).toBe(2);
    expect(march.html).toMatch(/Remove/);
    const shops = await owner.open(`${table}&total=count&by=value%3Ashop`);
    expect(listBars(shops.html)).toEqual(["Korb: 2", "=HYPERLINK(1): 1", "Berg: 1"]);
    expect((await owner.open(findLink(shops, "Korb"))).html.match(/<tr><td/g)?.length).toBe(2);
    const all = await owner.open(`${table}&total=count`);
    expect(all.html).toContain("<strong><bdi>4</bdi></strong>");
  });

  it("[PAG-9] [PAG-10] says that filters are exact when it is empty, and links to similar values and the search", async () => {
    const empty = await owner.open(`${table}&filter=shop%3Ais%3Akorb`);
    expect(empty.html).toContain("Filters match exactly, and no record has shop &quot;korb&quot;.");
    const close = await owner.open(findLink(empty, "Korb"));
    expect(close.url).toContain("filter=shop%3Ais%3AKorb");
    expect(close.html.match(/<tr><td/g)?.length).toBe(2);
  });

  it("[CSL-12] [AGG-8] never adds amounts of two units: it shows the most common one and offers the others", async () => {
    const mixed = await owner.open(`${table}&total=price&by=month%3Aat`);
    expect(listBars(mixed.html)).toEqual(["Jan 2026: 12.5 EUR", "Feb 2026: 0", "Mar 2026: 4 EUR"]);
    for (const shown of ["several units. Showing <bdi>EUR</bdi>", "16.5 EUR", "99 CHF"])
      expect(mixed.html).toContain(shown);
    expect(mixed.html).not.toContain("115.5");
    const euros = await owner.open(findLink(mixed, "EUR"));
    expect(euros.url).toContain("currency%3Ais%3AEUR");
    expect(listBars(euros.html)).toEqual(["Jan 2026: 12.5 EUR", "Feb 2026: 0", "Mar 2026: 4 EUR"]);
    for (const shown of ["Sum <strong><bdi>16.5 EUR", "Smallest <strong><bdi>2.5 EUR", "Largest <strong><bdi>10 EUR"])
      expect(euros.html).toContain(shown);
  });

  it("[CSL-12] totals the filtered records, and offers only declared totals", async () => {
    const early = await owner.open(
      `${table}&filter=at%3Alt%3A2026-01-10&filter=currency%3Ais%3AEUR&total=price&by=month%3Aat`,
    );
    expect(listBars(early.html)).toEqual(["Jan 2026: 10 EUR"]);
    const channels = await owner.open(`${site}/stream?source=chat_home&stream=channels`);
    expect(channels.html).not.toContain("Totals");
    const stray = await owner.open(`${table}&total=secret&by=month%3Anothing`);
    expect([stray.status, listBars(stray.html)]).toEqual([200, []]);
  });

  it("[CSL-12] [CSL-8] limits totals to an impersonated grant", async () => {
    const api = createOwner({ store: vault.store, ownerNo: 1, now: Date.now });
    const streams = [{ name: "orders", fields: ["id", "at", "shop"] }];
    const { grants } = await api.grants.issue({
      client: { name: "R" },
      sources: [{ connector_key: "orders", streams }],
    });
    const worn = `${site}/as/${grants[0]?.grant_id}/stream?source=orders_1&stream=orders`;
    const page = await owner.open(`${worn}&total=count&by=value%3Ashop`);
    expect(listBars(page.html)[0]).toBe("Korb: 2");
    expect(page.html).not.toMatch(/[Pp]rice|[Cc]urrency/);
    const raw = await owner.open(findLink(page, "CSV"));
    expect(raw.html.split("\r\n")[0]).toBe("at,shop");
  });

  it("[CSL-120] sorts by any column, and keeps the order in its links and downloads", async () => {
    const listIds = (html: string) => [...html.matchAll(/orders%3A(\w)"/g)].map(([, id]) => id);
    const byPrice = await owner.open(findLink(await owner.open(table), "Price"));
    expect(listIds(byPrice.html)).toEqual(["d", "a", "c", "b"]);
    expect(byPrice.html).toContain('aria-sort="descending"');
    const cheap = await owner.open(findLink(byPrice, "Price"));
    expect(listIds(cheap.html)).toEqual(["b", "c", "a", "d"]);
    expect((await owner.open(findLink(cheap, "CSV"))).html.split("\r\n")[1]).toContain("2026-01-20");
    const byShop = await owner.open(findLink(cheap, "Shop"));
    expect(listIds(byShop.html)[1]).toBe("d");
    expect(listIds((await owner.open(`${table}&sort=nothing&order=asc`)).html)[0]).toBe("a");
  });

  it("[CSL-132] sorts with a form, in both directions, and keeps the rest", async () => {
    const listIds = (html: string) => [...html.matchAll(/orders%3A(\w)"/g)].map(([, id]) => id);
    const first = await owner.open(`${table}&filter=currency%3Ais%3AEUR&column=price&column=shop&total=count&by=shop`);
    const options = /<select name="sorted">(.*?)<\/select>/.exec(first.html)?.[1] ?? "";
    expect(options).toContain('<option value="desc:at" selected="">At, newest first</option>');
    for (const words of ["Price, largest first", "Price, smallest first", "Shop, A to Z", "Shop, Z to A"])
      expect(options).toContain(words);
    const { searchParams } = new URL(first.url);
    searchParams.append("sorted", "asc:price");
    const sorted = await owner.open(`${site}/stream?${searchParams}`);
    expect(sorted.url).toBe(
      `${table}&sort=price&order=asc&column=price&column=shop&filter=currency%3Ais%3AEUR&total=count&by=shop`,
    );
    const ids = listIds(sorted.html);
    expect(ids.length).toBeGreaterThan(1);
    expect(listIds((await owner.open(findLink(sorted, "Price"))).html)).toEqual(ids.toReversed());
    expect(sorted.html).toContain('<option value="asc:price" selected="">');
    const own = await owner.open(`${table}&sort=price&sorted=asc%3Aat`);
    expect(own.url).toBe(`${table}&order=asc`);
    for (const odd of ["asc:nothing", "sideways:price", "%3Cscript%3E", ""])
      expect((await owner.open(`${table}&sorted=${odd}`)).status).toBe(200);
  });

  it("[CSL-13] downloads as CSV, JSON and NDJSON with its filters, order and columns", async () => {
    const page = await owner.open(
      `${site}/stream?source=chat_work&stream=messages&filter=channel_id%3Ais%3Abusy&order=asc&column=id&column=likes`,
    );
    const csv = await owner.open(findLink(page, "CSV"));
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(csv.headers.get("content-disposition")).toBe('attachment; filename="chat_work-messages.csv"');
    const lines = csv.html.trimEnd().split("\r\n");
    expect([lines.length, lines[0], lines[1], lines[110]]).toEqual([111, "id,likes", "y0,200", "y109,309"]);
    const json: { id: string; data: object }[] = JSON.parse((await owner.open(findLink(page, "JSON"))).html);
    expect([json.length, json[0]?.id, json[0]?.data]).toEqual([110, "y0", { id: "y0", likes: 200 }]);
    const ndjson = (await owner.open(findLink(page, "NDJSON"))).html.trimEnd().split("\n");
    expect(ndjson.map((line) => JSON.parse(line))).toEqual(json);
  });

  it("[CSL-13] neutralizes formulas, and reports an invalid request on a page", async () => {
    const csv = await owner.open(`${site}/stream/raw?source=orders_1&stream=orders&column=shop&as=csv`);
    expect(csv.html).toContain("\r\n'=HYPERLINK(1)\r\n");
    for (const wrong of ["as=xls", "as=csv&filter=nothing%3Ais%3A1", "as=csv&column=nothing"]) {
      const page = await owner.open(`${site}/stream/raw?source=orders_1&stream=orders&${wrong}`);
      expect([wrong, page.status, page.html.includes("Invalid request")]).toEqual([wrong, 400, true]);
    }
    const empty = await owner.open(`${site}/stream/raw?source=orders_1&stream=orders&filter=shop%3Ais%3Anone&as=json`);
    expect(JSON.parse(empty.html)).toEqual([]);
  });
});
