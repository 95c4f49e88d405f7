import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compileCacheEnv } from "@pdpp/test-support/processes/compile-cache";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { expect, it } from "vitest";
import { ingest } from "#server/ingest/ingest";
import { findConnection, removeConnection } from "#server/owner/connections";
import { reindexStep } from "#server/store/catalog/reindex";
import type { Engine } from "#server/store/engine/engine";
import { raw, sql } from "#server/store/engine/sql";
import { loadHorizon } from "#server/store/records/changes";
import { openStore, type Store, type StoreLocation } from "#server/store/store";
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
import type { WriterTask } from "../writer-process.ts";

const script = fileURLToPath(new URL("../writer-process.ts", import.meta.url));

/** Runs a writer process; `ready` resolves when it is about to write, `done` when it has exited. */
export function startWriter(task: WriterTask): { ready: Promise<void>; done: Promise<void> } {
  const child = spawn(process.execPath, [script, JSON.stringify(task)], {
    env: compileCacheEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (text) => {
    complaint += text;
  });
  const done = new Promise<void>((resolve, reject) =>
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(complaint)))),
  );
  return {
    ready: Promise.race([new Promise<void>((resolve) => child.stdout.once("data", () => resolve())), done]),
    done,
  };
}

const withPages = createDiary({}, { ...diaryFields, pages: { type: "integer" } });

export function testConcurrency(open: OpenVault): void {
  it("makes versions visible in increasing order while a second process writes", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await openDiary(store, ["home", "work"]);
      const other = startWriter({
        location: getLocation(vault),
        connectionId: "work",
        prefix: "w",
        batches: 25,
        size: 20,
      });
      await other.ready;
      const samples: { current: number; count: number }[] = [];
      let writing = true;
      const watch = async () => {
        while (writing) {
          samples.push(await takeSample(store));
          await pause(1);
        }
      };
      const write = async () => {
        for (let n = 0; n < 25; n += 1)
          await put(
            store,
            "home",
            createEntries(20).map(({ id }) => ({ id: `h${n}.${id}` })),
          );
        await other.done;
        writing = false;
      };
      await Promise.all([watch(), write()]);
      const rows = await store.engine.read((on) =>
        on.all<{ version: number }>(raw("SELECT version FROM r_1 ORDER BY version")),
      );
      expect(rows).toHaveLength(1000);
      expect(new Set(rows.map(({ version }) => version)).size).toBe(1000);
      for (const { current, count } of samples)
        expect(rows.filter(({ version }) => version <= current).length).toBe(count);
      expect(new Set(samples.map(({ count }) => count)).size).toBeGreaterThan(3);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("lets several processes open a new vault at the same time", () =>
    withVault(open, async (vault) => {
      const location = await nowhereYet(vault);
      await Promise.all(
        Array.from({ length: 3 }, () => startWriter({ location, prefix: "", batches: 0, size: 0 }).done),
      );
      const store = await openStore(location);
      const owners = await store.engine.read((on) => on.all(sql`SELECT owner_no FROM owner`));
      expect(owners).toEqual([{ owner_no: 1 }]);
      await store.close();
    }));

  it("loses no update that arrives while a record is being reindexed", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(store, "home", [
        { id: "a", title: "old", pages: 1 },
        { id: "b", title: "old", pages: 1 },
      ]);
      await store.register(withPages, now);
      let update: Promise<unknown> | undefined;
      const slow = pausing(store.engine, async () => {
        update ??= put(store, "home", [{ id: "a", title: "new", pages: 2 }, { gone: "b" }]);
        await pause(150);
      });
      await reindexStep(slow, "diary");
      await update;
      await store.reindex();
      expect((await list(store, await createScope(store))).map(({ data }) => JSON.parse(data ?? "null"))).toEqual([
        { id: "a", title: "new", pages: 2 },
      ]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("fills the new columns of records that are written while a manifest is registered", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(store, "home", [{ id: "a", pages: 1 }]);
      let registered: Promise<void> | undefined;
      const late: Store = {
        ...store,
        async catalog(on) {
          const catalog = await store.catalog(on);
          if (on !== undefined) {
            registered ??= store.register(withPages, now).then(() => store.reindex());
            await pause(150);
          }
          return catalog;
        },
      };
      await put(late, "home", [{ id: "b", pages: 1 }]);
      await registered;
      const scope = await createScope(store);
      expect(getKeys(await list(store, scope, { conditions: [createCondition(scope, "pages", "eq", 1)] }))).toEqual([
        "a",
        "b",
      ]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("lets several processes register and reindex the same manifest at the same time", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await Promise.all([store.register(createDiary(), now), store.register(createDiary(), now)]);
      await openDiary(store);
      await put(
        store,
        "home",
        createEntries(1100, () => ({ pages: 3 })),
      );
      await Promise.all([store.register(withPages, now), store.register(withPages, now)]);
      await Promise.all([store.reindex(), store.reindex()]);
      const scope = await createScope(store);
      expect(await list(store, scope, { conditions: [createCondition(scope, "pages", "eq", 3)] })).toHaveLength(1100);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("stops an ingest when its connection is removed, and leaves nothing of it", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const connection = await findConnection(store, ownerNo, "home");
      async function* bytes() {
        yield Buffer.from('{"data":{"id":"a"}}\n{"data":{"id":"a","title":"again"}}\n');
        await removeConnection(store, ownerNo, "home", now);
        yield Buffer.from('{"data":{"id":"b"}}\n');
      }
      const ended = ingest(store, { ownerNo, connection, stream: "entries" }, bytes(), { now: () => now });
      await expect(ended).rejects.toMatchObject({ code: "connection_not_found" });
      for (const table of ["r_1", "stream_stats", "record_history"]) {
        expect(await store.engine.read((on) => on.all(raw(`SELECT * FROM ${table}`))), table).toEqual([]);
      }
    }));
}

async function takeSample(store: Store): Promise<{ current: number; count: number }> {
  return store.engine.read(async (on) => {
    const { current } = await loadHorizon(on, ownerNo);
    const row = await on.one<{ n: number }>(sql`SELECT count(*) AS n FROM r_1 WHERE version <= ${current}`);
    return { current, count: row!.n };
  });
}

/** An engine that runs something between a transaction's reads and its writes. */
function pausing(engine: Engine, meanwhile: () => Promise<void>): Engine {
  return {
    ...engine,
    write: (work) =>
      engine.write((on) =>
        work({
          ...on,
          async all<T>(query: Parameters<typeof on.all>[0]) {
            const rows = await on.all<T>(query);
            await meanwhile();
            return rows;
          },
        }),
      ),
  };
}

/** A new location next to the vault. */
async function nowhereYet({ store, dataDir, databaseUrl }: TestVault): Promise<StoreLocation> {
  if (databaseUrl === undefined) return { dataDir: `${dataDir}/fresh` };
  await store.engine.write((on) => on.run(raw("CREATE SCHEMA fresh")));
  return { dataDir, databaseUrl: `${databaseUrl}?options=${encodeURIComponent("-c search_path=fresh")}` };
}
