import { parseManifest } from "@pdpp/contract/manifest";
import { describe, expect, it } from "vitest";
import { purchasesManifest } from "#demo/manifests/purchases";
import { addConnection } from "#server/owner/connections";
import { type Call, connect, offered, offeredIn } from "../support/mcp-clients.ts";
import { message, now, put } from "../support/sample.ts";
import { type On, onEverySurface } from "./every-surface.ts";

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
async function shopper({ world, surface }: On) {
  const { store } = world.vault;
  if (!(await store.catalog()).connectors.has("purchases")) {
    await store.register(parseManifest(purchasesManifest), now);
    await addConnection(store, 1, { connectorKey: "purchases", id: "shopping" }, now);
    await put(
      world.vault,
      "shopping",
      "orders",
      Array.from({ length: 240 }, (_, i) => order(i)),
    );
  }
  const { token } = await world.granted({
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
    ])("[AGG-1] [HND-1] %s beyond 100 are reached by following the text, each once", async (_, grouping, count) => {
      const client = await shopper(on());
      const keys: unknown[] = [];
      let next: Call | undefined = { tool: "aggregate", arguments: { stream: "orders", metric: "count", ...grouping } };
      while (next !== undefined) {
        const { text, structuredContent, isError } = await client.follow(next);
        expect(isError).toBeUndefined();
        keys.push(...structuredContent.groups.map(({ key }: { key: unknown }) => key));
        for (const { key } of structuredContent.groups) expect(text).toContain(JSON.stringify(key));
        expect(offered(text)).toEqual(offeredIn(structuredContent));
        [next] = offered(text);
      }
      expect([keys.length, new Set(keys).size]).toEqual([count, count]);
      await client.close();
    });

    it("[AGG-2] a sum over several currencies says so and leads to each of them", async () => {
      const client = await shopper(on());
      const mixed = await client.call("aggregate", { stream: "orders", metric: "sum", field: "total_amount" });
      expect(mixed.text).toContain("total_amount is in several units (EUR, GBP, JPY)");
      const calls = offered(mixed.text);
      expect(calls).toEqual(offeredIn(mixed.structuredContent));
      expect(calls.map(({ arguments: args }) => args.filter)).toEqual([
        { currency: "EUR" },
        { currency: "GBP" },
        { currency: "JPY" },
      ]);
      expect(mixed.structuredContent.unit).toBeUndefined();
      for (const [i, unit] of ["EUR", "GBP", "JPY"].entries()) {
        const one = await client.follow(calls[i]!);
        expect([one.isError, one.structuredContent]).toMatchObject([undefined, { value: 800, unit }]);
        expect(one.structuredContent.warnings).toBeUndefined();
        expect(one.text).toMatch(new RegExp(`^sum\\(orders\\.total_amount\\) = 800 ${unit} over \\d+ records?$`));
      }
      await client.close();
    });

    it("[AGG-1] [HOST-3] a page of long groups ends early, and its cursor goes on behind the last that is shown", async () => {
      const { client, world } = on();
      const long = Array.from({ length: 30 }, (_, i) =>
        message(`g${i}`, i, { channel_id: `${i} ${"long ".repeat(90)}` }),
      );
      await put(world.vault, "chat_work", "messages", long);
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
