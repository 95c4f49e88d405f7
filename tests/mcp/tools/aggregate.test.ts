import { parseManifest } from "@pdpp/contract/manifest";
import { type Call, connect, findOfferedCalls, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { buildMessage, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { describe, expect, it } from "vitest";
import { demoVault } from "#demo/demo-vault";
import { addConnection } from "#server/owner/connections";
import { type On, onEverySurface } from "../every-surface.ts";

const order = (i: number) => ({
  data: {
    order_id: `o${i}`,
    summary: `Order ${i}`,
    shop: `Shop ${i % 120}`,
    status: "delivered",
    ordered_at: new Date(Date.parse("2025-01-01T12:00:00Z") + i * 86_400_000).toISOString(),
    total_amount: 10,
    subtotal_amount: 10,
    currency: ["EUR", "GBP", "JPY"][i % 3],
    item_count: 1,
  },
});

/** A grant for 240 orders on as many days, of 120 shops, in three currencies. */
async function connectShopper({ world, surface }: On) {
  const { store } = world.vault;
  if (!(await store.catalog()).connectors.has("purchases")) {
    const manifest = demoVault.manifests.find(({ connector_key }) => connector_key === "purchases");
    await store.register(parseManifest(manifest), now);
    await addConnection(store, 1, { connectorKey: "purchases", id: "shopping" }, now);
    await putRecords(
      world.vault,
      "shopping",
      "orders",
      Array.from({ length: 240 }, (_, i) => order(i)),
    );
  }
  const { token } = await world.issueGrant({
    client: { name: "shopper" },
    sources: [{ connector_key: "purchases", streams: [{ name: "orders" }] }],
  });
  return connect(surface, world.url, token);
}

describe("aggregate", () => {
  onEverySurface((on) => {
    it.each([
      ["shops", { group_by: "shop" }, 120],
      ["days", { group_by_time: "ordered_at", granularity: "day" }, 240],
    ])(
      "[AGG-1] [HND-1] reaches each of more than 100 %s exactly once by following the text",
      async (_, grouping, count) => {
        const client = await connectShopper(on());
        const keys: unknown[] = [];
        let next: Call | undefined = {
          tool: "aggregate",
          arguments: { stream: "orders", metric: "count", ...grouping },
        };
        while (next !== undefined) {
          const { text, structuredContent, isError } = await client.follow(next);
          expect(isError).toBeUndefined();
          keys.push(...structuredContent.groups.map(({ key }: { key: unknown }) => key));
          for (const { key } of structuredContent.groups) expect(text).toContain(JSON.stringify(key));
          expect(parseOfferedCalls(text)).toEqual(findOfferedCalls(structuredContent));
          [next] = parseOfferedCalls(text);
        }
        expect([keys.length, new Set(keys).size]).toEqual([count, count]);
        await client.close();
      },
    );

    it("[TOOL-23] counts in the text the records of groups it does not show", async () => {
      const client = await connectShopper(on());
      const asked = { stream: "orders", metric: "count", group_by: "currency", limit: 1 };
      const { text, structuredContent } = await client.call("aggregate", asked);
      expect(structuredContent.other_count).toBe(160);
      expect(text).toContain("240 records in all; other_count 160 (in groups not shown)");
      await client.close();
    });

    it.each([
      ["sum", 800],
      ["min", 10],
      ["max", 10],
    ])(
      "[AGG-3] [AGG-2] starts a %s over several currencies with the value for each currency",
      async (metric, value) => {
        const client = await connectShopper(on());
        const asked = { stream: "orders", metric, field: "total_amount" };
        const mixed = await client.call("aggregate", asked);
        const [first] = mixed.text.split("\n");
        const each = ["EUR", "GBP", "JPY"].map((unit) => `${value} ${unit} over 80 records`).join(", ");
        expect(first).toBe(`${metric}(orders.total_amount) = ${each}`);
        expect(mixed.structuredContent).toMatchObject({
          by_unit: ["EUR", "GBP", "JPY"].map((unit) => ({ unit, value, count: 80 })),
        });
        for (const form of [mixed.text, JSON.stringify(mixed.structuredContent)])
          expect(form).not.toMatch(/2400|"value":null/);
        const one = await client.call("aggregate", { ...asked, filter: { currency: "GBP" } });
        expect(one.structuredContent).toMatchObject({ value, unit: "GBP" });
        expect(one.structuredContent.warnings).toBeUndefined();
        expect(one.text).toBe(`${metric}(orders.total_amount) = ${value} GBP over 80 records`);
        await client.close();
      },
    );

    it("[AGG-4] prints one line with units for each shop and month of a sum", async () => {
      const client = await connectShopper(on());
      const asked = { stream: "orders", metric: "sum", field: "total_amount", limit: 2 };
      const shops = await client.call("aggregate", { ...asked, group_by: "shop" });
      expect(shops.text.split("\n").slice(0, 3)).toEqual([
        "sum(orders.total_amount) by shop:",
        '"Shop 0": 20 EUR over 2 records',
        '"Shop 102": 20 EUR over 2 records',
      ]);
      expect(shops.structuredContent.groups).toEqual([
        { key: "Shop 0", count: 2, value: 20, unit: "EUR" },
        { key: "Shop 102", count: 2, value: 20, unit: "EUR" },
      ]);
      const next = await client.follow(parseOfferedCalls(shops.text)[0]!);
      expect(next.text).toContain('"Shop 105": 20 EUR over 2 records');
      const months = await client.call("aggregate", { ...asked, group_by_time: "ordered_at", granularity: "month" });
      expect(months.text.split("\n")[1]).toBe(
        '"2025-01-01": 110 EUR over 11 records, 100 GBP over 10 records, 100 JPY over 10 records',
      );
      await client.close();
    });

    it("[AGG-1] [HOST-3] ends a page of long groups early, with a cursor that continues after the last group shown", async () => {
      const { client, world } = on();
      const long = Array.from({ length: 30 }, (_, i) =>
        buildMessage(`g${i}`, i, { channel_id: `${i} ${"long ".repeat(90)}` }),
      );
      await putRecords(world.vault, "chat_work", "messages", long);
      const keys: unknown[] = [];
      const first = { stream: "messages", metric: "count", group_by: "channel_id", connection_id: "chat_work" };
      for (let next: Call | undefined = { tool: "aggregate", arguments: first }; next !== undefined; ) {
        const { structuredContent } = await client.follow(next);
        keys.push(...structuredContent.groups.map(({ key }: { key: unknown }) => key));
        next = structuredContent.next;
      }
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.length).toBeGreaterThanOrEqual(32);
    });
  });
});
