import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import { expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { reindexStep } from "#server/store/catalog/reindex";
import { raw, sql } from "#server/store/engine/sql";
import { findIntegrityFaults } from "../integrity.ts";
import { createDiary, createEntries, createScope, diaryFields, list, now, openDiary, ownerNo, put } from "../sample.ts";
import { type OpenVault, withVault } from "../vault.ts";

const createStream = (name: string, properties: JsonObject = {}): JsonObject => ({
  name,
  primary_key: ["id"],
  cursor_field: "at",
  schema: {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" }, at: { type: "string", format: "date-time" }, ...properties },
  },
});

const createDeclaration = (id: string, more: JsonObject = {}) =>
  parseManifest({
    protocol_version: "0.1.0",
    source: { kind: "provider_native", id },
    declaration_version: "1",
    publisher: { id: "https://publisher.example" },
    display: { name: "Somebody" },
    streams: [createStream("notes")],
    ...more,
  });

const fields = Object.fromEntries(
  Array.from({ length: 12 }, (_, n) => [`f${n}`, { type: n % 2 === 0 ? "string" : "number" }]),
);
const many = (version: string, more: JsonObject = {}) =>
  parseManifest({
    connector_key: "many",
    version,
    streams: Array.from({ length: streamCount }, (_, n) => ({
      ...createStream(`stream_${n}`, { ...fields, ...more }),
      query: { search: { lexical_fields: ["f0", "f2"] } },
    })),
  });

const streamCount = chooseRuns(150, 600);

export function testRegistration(open: OpenVault): void {
  it("[REG-1] distinguishes two sources whose ids have the same ending", () =>
    withVault(open, async ({ store }) => {
      const [first, second] = ["https://a.example/pdpp", "https://b.example/pdpp"] as const;
      await store.register(createDeclaration(first), now);
      await addConnection(store, ownerNo, { connectorKey: "pdpp", id: "home" }, now);
      await expect(store.register(createDeclaration(second), now)).rejects.toMatchObject({
        code: "connector_conflict",
        message: expect.stringContaining(`belongs to ${first}, and this manifest describes ${second}`),
      });
      expect((await store.catalog()).connectors.get("pdpp")?.declaration.connectorId).toBe(first);
      await store.register(createDeclaration(first, { declaration_version: "2" }), now);
      await store.register(createDeclaration(second, { connector_key: "other" }), now);
      const ids = [...(await store.catalog()).connectors.values()].map(({ declaration: d }) => d.connectorId);
      expect(ids).toEqual([second, first]);
    }));

  it(`[REG-3] registers ${streamCount} streams, a newer manifest of them, and a connection, without building indexes`, () =>
    withVault(open, async ({ store }) => {
      const [first, second] = [many("1"), many("2", { extra: { type: "string" } })];
      await store.register(first, now);
      await addConnection(store, ownerNo, { connectorKey: "many", id: "home" }, now);
      await store.register(second, now);
      await addConnection(store, ownerNo, { connectorKey: "many", id: "away" }, now);
      const built = sql`SELECT count(*) AS n FROM stream WHERE is_built = 1`;
      expect(await store.engine.read((on) => on.one<{ n: number }>(built))).toEqual({ n: 0 });
      await put(store, "home", [{ id: "a", extra: "walking dogs" }], now, `stream_${streamCount - 1}`);
      expect(await list(store, await createScope(store, ["home"], `stream_${streamCount - 1}`))).toHaveLength(1);
      expect(await list(store, await createScope(store, ["home"], "stream_0"))).toEqual([]);
    }));

  it("[REG-3] builds a stream's indexes with its first record, even while a newer manifest is pending", () =>
    withVault(open, async ({ store }) => {
      const lexical = (...names: string[]) => ({ query: { search: { lexical_fields: names } } });
      const more = { ...diaryFields, body: { type: "string" } };
      const letters = (...names: string[]) => ({
        ...createStream("letters", { body: { type: "string" } }),
        ...lexical(...names),
      });
      await openDiary(store, ["home"], createDiary(lexical("title"), more, [letters("body")]));
      const listBuilt = async () => {
        const rows = await store.engine.read((on) =>
          on.all<{ name: string; indexes: string }>(raw("SELECT name, indexes FROM stream ORDER BY name")),
        );
        return rows.filter(({ indexes }) => indexes !== "[]").map(({ name }) => name);
      };
      expect(await listBuilt()).toEqual([]);
      await put(
        store,
        "home",
        createEntries(3, () => ({ title: "walking" })),
      );
      expect(await listBuilt()).toEqual(["entries"]);
      await store.register(createDiary(lexical("title", "body"), more, [letters("id", "body")]), now);
      await put(store, "home", [{ id: "a", body: "counted" }], now, "letters");
      expect(await listBuilt()).toEqual(["entries", "letters"]);
      while ((await reindexStep(store.engine, "diary")) !== null);
      const search = async (name: string) =>
        (await createScope(store, undefined, name)).stream.activeSearchPlan?.fields;
      expect([await search("entries"), await search("letters")]).toEqual([
        ["title", "body"],
        ["id", "body"],
      ]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));
}
