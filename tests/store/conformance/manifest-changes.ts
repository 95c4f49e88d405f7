import type { JsonObject } from "@pdpp/contract/declaration";
import { expect, it } from "vitest";
import { findConnection, removeConnection } from "#server/owner/connections";
import { deleteRecords } from "#server/owner/records";
import { findConnectionsUsing } from "#server/store/blobs/blob-access";
import { reindexStep } from "#server/store/catalog/reindex";
import { raw } from "#server/store/engine/sql";
import { openStore, type Store } from "#server/store/store";
import { findIntegrityFaults } from "../integrity.ts";
import {
  createCondition,
  createDiary,
  createEntries,
  createScope,
  diaryFields,
  getKeys,
  list,
  now,
  openDiary,
  ownerNo,
  put,
} from "../sample.ts";
import { getLocation, type OpenVault, withVault } from "../vault.ts";

const pages = { pages: { type: ["integer", "null"] } };
const withPages = (stream: JsonObject = {}) => createDiary(stream, { ...diaryFields, ...pages });

const loadRevision = async (store: Store) => (await store.catalog()).revision;
const listFields = async (store: Store) => [...(await createScope(store)).stream.columns.keys()];

async function findKeys(store: Store, field: string, value: string | number): Promise<string[]> {
  const scope = await createScope(store);
  return getKeys(await list(store, scope, { conditions: [createCondition(scope, field, "eq", value)] }));
}

export function testManifestChanges(open: OpenVault): void {
  it("ignores a manifest that is registered again", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const before = await store.catalog();
      await store.register(createDiary(), now + 1);
      expect(await store.catalog()).toBe(before);
    }));

  it("shows a new manifest to other handles at once", () =>
    withVault(open, async (vault) => {
      const other = await openStore(getLocation(vault));
      expect((await other.catalog()).connectors.size).toBe(0);
      await openDiary(vault.store);
      expect([...(await other.catalog()).connectors.keys()]).toEqual(["diary"]);
      await other.close();
    }));

  it("adds a stream at once even if other streams have records", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(store, "home", createEntries(3));
      const places = {
        name: "places",
        primary_key: "id",
        schema: { type: "object", properties: { id: { type: "integer" } } },
      };
      await store.register(createDiary({}, diaryFields, [places]), now);
      expect((await store.catalog()).connectors.get("diary")?.reindexing).toBeUndefined();
      await put(store, "home", [{ id: 7 }, { id: 10 }], now, "places");
      expect(getKeys(await list(store, await createScope(store, undefined, "places")))).toEqual(["10", "7"]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("keeps a manifest with new fields pending until they are filled, and writers fill both", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const rows = createEntries(1200, (n) => ({ title: `t${n % 3}`, pages: n % 10 }));
      await put(store, "home", rows);
      const query = { range_filters: { pages: ["gte"] } };
      await store.register(withPages({ cursor_field: "pages", query }), now + 1);
      expect((await store.catalog()).connectors.get("diary")?.reindexing).toEqual({ done: 0, total: 1200 });
      expect(await listFields(store)).toEqual(["id", "title", "written_at"]);
      expect(await findKeys(store, "title", "t1")).toHaveLength(400);

      await put(store, "home", [
        { id: "between", title: "t1", pages: 7 },
        { ...rows[0]!, pages: 7 },
        { gone: rows[7]!.id as string },
      ]);
      expect(await findKeys(store, "title", "t1")).toHaveLength(400);
      const steps: number[] = [];
      await store.reindex((_key, done) => steps.push(done));
      expect(steps.at(-1)).toBe(1200);
      expect(await listFields(store)).toContain("pages");
      expect((await findKeys(store, "pages", 7)).length).toBe(120 + 2 - 1);

      const scope = await createScope(store);
      const sort = { column: scope.stream.columns.get("pages")!.column, type: "number", nullable: true } as const;
      const some = await list(store, scope, {
        sort,
        descending: true,
        conditions: [createCondition(scope, "pages", "gte", 8)],
      });
      expect(some.map(({ data }) => (JSON.parse(data ?? "null") as { pages: number }).pages)).toEqual([
        ...Array(120).fill(9),
        ...Array(120).fill(8),
      ]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("changes the kind of a field, and treats old values that do not match it as missing", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], createDiary({}, { ...diaryFields, pages: { type: "string" } }));
      await put(store, "home", [{ id: "old", pages: "12" }]);
      expect(await findKeys(store, "pages", "12")).toEqual(["old"]);
      await store.register(withPages(), now);
      await put(store, "home", [{ id: "between", pages: "12" }]);
      await store.reindex();
      await put(store, "home", [{ id: "new", pages: 12 }]);
      expect(await findKeys(store, "pages", 12)).toEqual(["new"]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("changes the cursor field, and drops unneeded indexes", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], createDiary({ cursor_field: "title" }));
      await put(store, "home", [
        { id: "a", title: "z", written_at: "2026-01-01" },
        { id: "b", title: "y", written_at: "2026-01-02T00:00:00+02:00" },
        { id: "c", title: "x" },
      ]);
      const listIndexes = async () =>
        JSON.parse(
          (await store.engine.read((on) => on.one<{ indexes: string }>(raw("SELECT indexes FROM stream"))))!.indexes,
        ) as string[];
      const before = await listIndexes();
      await store.register(createDiary({ cursor_field: "written_at" }), now);
      expect((await store.catalog()).connectors.get("diary")?.reindexing).toBeUndefined();
      const scope = await createScope(store);
      const sort = { column: scope.stream.columns.get("written_at")!.column, type: "number", nullable: true } as const;
      expect(getKeys(await list(store, scope, { sort, descending: true }))).toEqual(["b", "a", "c"]);
      const left = await store.engine.read((on) =>
        on.all<{ name: string }>(
          raw(
            store.engine.dialect.name === "sqlite"
              ? "SELECT name FROM sqlite_master WHERE type = 'index'"
              : "SELECT indexname AS name FROM pg_indexes",
          ),
        ),
      );
      const after = await listIndexes();
      expect(left.map(({ name }) => name)).toEqual(expect.arrayContaining(after));
      const dropped = before.filter((name) => !after.includes(name));
      expect(dropped.length).toBeGreaterThan(0);
      for (const name of dropped) expect(left.map((index) => index.name)).not.toContain(name);
    }));

  it("drops the column of a removed field, and fills a new one when the field is added again", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], withPages());
      await put(store, "home", [
        { id: "a", pages: 1 },
        { id: "b", pages: 2 },
      ]);
      await store.register(createDiary(), now);
      expect(await listFields(store)).not.toContain("pages");
      await put(store, "home", [
        { id: "b", pages: 3 },
        { id: "c", pages: 1 },
      ]);
      await store.register(withPages(), now);
      await store.reindex();
      expect(await findKeys(store, "pages", 1)).toEqual(["a", "c"]);
      expect(await findKeys(store, "pages", 2)).toEqual([]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("rejects another primary key while there are records, without changing anything", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(store, "home", [{ id: "a", title: "t" }]);
      const before = await loadRevision(store);
      const other = createDiary({
        primary_key: ["title"],
        schema: { type: "object", required: ["title"], properties: diaryFields },
      });
      await expect(store.register(other, now)).rejects.toMatchObject({ code: "connector_conflict" });
      expect(await loadRevision(store)).toBe(before);

      const { stream } = await createScope(store);
      const connection = await findConnection(store, ownerNo, "home");
      await deleteRecords(store, { ownerNo, connection, stream }, undefined, now);
      await store.register(other, now);
      await put(store, "home", [{ id: "a", title: "t" }]);
      expect(await findKeys(store, "title", "t")).toEqual(["t"]);
      expect(await findKeys(store, "id", "a")).toEqual(["t"]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("continues a reindex that another handle began", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await openDiary(store);
      await put(
        store,
        "home",
        createEntries(1200, (n) => ({ pages: n % 2 })),
      );
      await store.register(withPages(), now);
      expect(await reindexStep(store.engine, "diary")).toEqual({ done: 500, total: 1200 });
      const other = await openStore(getLocation(vault));
      const steps: number[] = [];
      await other.reindex((_key, done) => steps.push(done));
      expect(steps).toEqual([1000, 1200, 1200]);
      await other.close();
      expect(await findKeys(store, "pages", 1)).toHaveLength(600);
      expect((await store.catalog()).connectors.get("diary")?.reindexing).toBeUndefined();
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("starts over when a third manifest arrives before the second is active", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(
        store,
        "home",
        createEntries(600, (n) => ({ pages: n % 2, mood: n % 3 })),
      );
      await store.register(withPages(), now);
      await reindexStep(store.engine, "diary");
      await store.register(createDiary({}, { ...diaryFields, ...pages, mood: { type: "integer" } }), now);
      await put(store, "home", [{ id: "between", pages: 1, mood: 1 }]);
      await store.reindex();
      expect(await findKeys(store, "pages", 1)).toHaveLength(301);
      expect(await findKeys(store, "mood", 1)).toHaveLength(201);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("keeps the active manifest when a pending one is withdrawn", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(
        store,
        "home",
        createEntries(10, (n) => ({ pages: n })),
      );
      await store.register(withPages(), now);
      await store.register(createDiary(), now);
      await store.reindex();
      expect(await listFields(store)).toEqual(["id", "title", "written_at"]);
      expect((await store.catalog()).connectors.get("diary")?.reindexing).toBeUndefined();
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("finds the blobs of old records in a field that is newly declared as a blob field", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const with_ = (id: string, blob_id: string) => ({ id, picture: { blob_id } });
      await put(store, "home", [...createEntries(600), with_("old", "blob_1"), with_("z_old", "blob_2")]);
      const picture = { type: "object", x_pdpp_role: "blob-reference" };
      await store.register(createDiary({}, { ...diaryFields, picture }), now);
      await reindexStep(store.engine, "diary");
      await put(store, "home", [with_("e00001", "blob_3"), with_("between", "blob_4"), with_("old", "blob_5")]);
      await store.reindex();
      const scope = await createScope(store);
      const countUses = async (id: string) =>
        (await store.engine.read((on) => findConnectionsUsing(on, scope, id))).length;
      expect(await Promise.all(["blob_1", "blob_2", "blob_3", "blob_4", "blob_5"].map(countUses))).toEqual([
        0, 1, 1, 1, 1,
      ]);
    }));

  it("deletes a connection's records in streams that are no longer declared", () =>
    withVault(open, async ({ store }) => {
      const places = {
        name: "places",
        primary_key: "id",
        schema: { type: "object", properties: { id: { type: "string" } } },
      };
      await openDiary(store, ["home"], createDiary({}, diaryFields, [places]));
      await put(store, "home", [{ id: "attic" }], now, "places");
      const { streamNo } = (await createScope(store, undefined, "places")).stream;
      await store.register(createDiary(), now);
      await removeConnection(store, 1, "home", now);
      expect(await store.engine.read((on) => on.all(raw(`SELECT key FROM r_${streamNo}`)))).toEqual([]);
    }));
}
