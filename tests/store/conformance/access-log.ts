import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { openAccessLog, readAccessLog } from "#server/store/access/log/access-log";
import { pruneLog } from "#server/store/access/log/log-chain";
import { type AccessEntry, encodeEntry, hashRow } from "#server/store/access/log/log-entry";
import { verifyLog } from "#server/store/access/log/log-verification";
import { raw, sql } from "#server/store/engine/sql";
import { openStore, type Store } from "#server/store/store";
import { ownerNo } from "../sample.ts";
import { getLocation, type OpenVault, withVault } from "../vault.ts";

export const createEntry = (n: number, more: Partial<AccessEntry> = {}): AccessEntry => ({
  ownerNo,
  at: n,
  requestId: `req_${n}`,
  client: "Reader",
  grantIds: ["grt_a"],
  operation: "fetch",
  connectionIds: ["home"],
  stream: "entries",
  status: 200,
  records: 1,
  bytes: 10,
  ...more,
});

const read = (store: Store, query: { grantIds?: readonly string[]; after?: number; limit?: number } = {}) =>
  store.engine.read((on) => readAccessLog(on, ownerNo, { limit: 1000, ...query }));
const getTimes = (log: readonly AccessEntry[]) => log.map(({ at }) => at);
const verify = (store: Store, kept?: { entry: number; hash: string }) =>
  store.engine.read((on) => verifyLog(on, ownerNo, kept));

/** Writes fail until `repair` is called. */
function createFailingStore(store: Store): { store: Store; mend(): void } {
  let broken = true;
  const { engine } = store;
  const write: typeof engine.write = (work) => (broken ? Promise.reject(new Error("disk full")) : engine.write(work));
  return {
    store: { ...store, engine: { ...engine, write } },
    mend: () => {
      broken = false;
    },
  };
}

export function testAccessLog(open: OpenVault): void {
  it("stores entries unchanged and in order", () =>
    withVault(open, async ({ store }) => {
      const odd = createEntry(2, {
        grantIds: [],
        connectionIds: ["a", "b"],
        stream: null,
        status: 404,
        client: 'né"x',
      });
      const refused = createEntry(3, {
        kind: "refusal",
        code: "grant_revoked",
        status: 403,
        times: 7,
        subject: "tok_x",
      });
      for (const one of [createEntry(1), odd, refused]) store.log.note(one);
      expect(await read(store)).toEqual([]);
      await store.log.flush();
      expect(await read(store)).toMatchObject([{ ...createEntry(1), kind: "read", outcome: "finished" }, odd, refused]);
    }));

  it("flushes after a moment, and at once when many entries are pending", () =>
    withVault(open, async ({ store }) => {
      store.log.note(createEntry(0));
      await expect.poll(async () => (await read(store)).length).toBe(1);
      for (let n = 1; n <= 500; n += 1) store.log.note(createEntry(n));
      await pause(0);
      await store.log.flush();
      expect(getTimes(await read(store))).toEqual(Array.from({ length: 501 }, (_, n) => n));
    }));

  it("writes pending entries when the vault is closed", () =>
    withVault(open, async (vault) => {
      const other = await openStore(getLocation(vault));
      other.log.note(createEntry(1));
      await other.close();
      expect(getTimes(await read(vault.store))).toEqual([1]);
    }));

  it("lists the newest entries or those after an entry, for all grants, one grant or several", () =>
    withVault(open, async ({ store }) => {
      const grants = ["grt_A", "grt_a", "grt-a", "grt%", "grt_a2"];
      for (let n = 0; n < 20; n += 1)
        store.log.note(createEntry(n, { grantIds: [grants[n % 5]!, ...(n === 19 ? ["grt_a"] : [])] }));
      await store.log.flush();
      expect(getTimes(await read(store, { limit: 3 }))).toEqual([17, 18, 19]);
      const after = (await read(store))[4]!.entryNo;
      expect(getTimes(await read(store, { after, limit: 3 }))).toEqual([5, 6, 7]);
      expect(getTimes(await read(store, { grantIds: ["grt_a"] }))).toEqual([1, 6, 11, 16, 19]);
      expect(getTimes(await read(store, { grantIds: ["grt_A"], after, limit: 2 }))).toEqual([5, 10]);
      expect(getTimes(await read(store, { grantIds: ["grt%"] }))).toEqual([3, 8, 13, 18]);
      expect(await read(store, { grantIds: ["grt"] })).toEqual([]);
      // A narrowed grant has several ids.
      expect(getTimes(await read(store, { grantIds: ["grt_a", "grt%"] }))).toEqual([1, 3, 6, 8, 11, 13, 16, 18, 19]);
      expect(await read(store, { grantIds: [] })).toEqual([]);
    }));

  it("[LOG-1] lists a running read, and only its end once it has ended", () =>
    withVault(open, async ({ store }) => {
      const running = store.log.begin(createEntry(1, { records: 0, bytes: 0 }), () => createEntry(1, { bytes: 5 }));
      store.log.note(createEntry(2));
      await store.log.flush();
      expect(await read(store)).toMatchObject([{ at: 1, outcome: "running", bytes: 0 }, { at: 2 }]);
      running?.end(createEntry(1, { bytes: 99 }));
      const quick = store.log.begin(createEntry(3), () => createEntry(3));
      quick?.end(createEntry(3, { bytes: 30 }));
      await store.log.flush();
      expect((await read(store)).map(({ at, outcome, bytes }) => [at, outcome, bytes])).toEqual([
        [2, "finished", 10],
        [1, "finished", 99],
        [3, "finished", 30],
      ]);
      expect(await verify(store)).toMatchObject({ fault: null, entries: 4 });
    }));

  it("[LOG-1] marks a read as cut when the vault is closed, with what was sent", () =>
    withVault(open, async (vault) => {
      const other = await openStore(getLocation(vault));
      other.log.begin(createEntry(1, { records: 0, bytes: 0 }), () => createEntry(1, { records: 3, bytes: 77 }));
      await other.close();
      expect(await read(vault.store)).toMatchObject([{ outcome: "cut", records: 3, bytes: 77 }]);
    }));

  it("[LOG-2] retries failed writes, reports the failure once, and neither loses nor duplicates entries", () =>
    withVault(open, async (vault) => {
      const faults: unknown[] = [];
      const { store, mend } = createFailingStore(vault.store);
      const place = { folder: `${vault.dataDir}/log/test`, onError: (error: unknown) => faults.push(error) };
      const log = openAccessLog(store.engine, place);
      for (let n = 0; n < 50; n += 1) log.note(createEntry(n));
      await log.flush();
      await log.flush();
      expect(await read(vault.store)).toEqual([]);
      expect(faults).toHaveLength(1);
      mend();
      log.note(createEntry(50));
      await log.close();
      expect(getTimes(await read(vault.store))).toEqual(Array.from({ length: 51 }, (_, n) => n));
      expect(await verify(vault.store)).toMatchObject({ fault: null, entries: 51 });
    }));

  it("[LOG-1, LOG-2, LOG-12] adopts the journal of a dead process once, and marks unfinished reads", () =>
    withVault(open, async (vault) => {
      const { store, mend } = createFailingStore(vault.store);
      const place = { folder: `${vault.dataDir}/log/test`, onError: () => undefined };
      const dead = openAccessLog(store.engine, place);
      for (let n = 0; n < 5; n += 1) dead.note(createEntry(n));
      mend();
      dead.begin(createEntry(5, { versions: "a" }), () => createEntry(5));
      await dead.flush();
      dead.begin(createEntry(6), () => createEntry(6));
      dead.note(createEntry(7, { versions: "b.1+z" }));
      const next = openAccessLog(vault.store.engine, { ...place, isDead: () => true });
      await next.adopt();
      await next.adopt();
      const found = await read(vault.store);
      expect(getTimes(found).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(
        found
          .filter(({ outcome }) => outcome === "unfinished")
          .map(({ at }) => at)
          .sort(),
      ).toEqual([5, 6]);
      const lists = found.map(({ at, versions }) => [at, versions]).filter(([, versions]) => versions !== undefined);
      expect(lists.sort()).toEqual([
        [5, "a"],
        [7, "b.1+z"],
      ]);
      expect(await verify(vault.store)).toMatchObject({ fault: null });
      await next.close();
    }));

  it("[LOG-2] rejects required entries when its space is full, and counts the other lost ones", () =>
    withVault(open, async (vault) => {
      const { store, mend } = createFailingStore(vault.store);
      const place = {
        folder: `${vault.dataDir}/log/test`,
        onError: () => undefined,
        limits: { journalBytes: 4096, waiting: 20 },
      };
      const log = openAccessLog(store.engine, place);
      let kept = 0;
      while (log.note(createEntry(kept), "must keep")) kept += 1;
      expect(kept).toBeGreaterThan(5);
      expect(kept).toBeLessThan(40);
      for (let n = 0; n < 30; n += 1) log.note(createEntry(100 + n));
      mend();
      await log.close();
      const found = await read(vault.store);
      const lost = found.find(({ operation }) => operation === "log.gap")?.times ?? 0;
      expect(lost).toBeGreaterThan(0);
      expect(found.filter(({ operation }) => operation === "fetch")).toHaveLength(kept + 30 - lost);
    }));

  it("[LOG-5] keeps one chain for several processes, and names a changed, removed or added entry", () =>
    withVault(open, async (vault) => {
      const other = await openStore(getLocation(vault));
      for (let n = 0; n < 40; n += 1) {
        (n % 2 === 0 ? vault.store : other).log.note(createEntry(n));
        if (n % 5 > 0) continue;
        // Two SQLite writers in one thread would deadlock; processes do not.
        const first = vault.store.log.flush();
        if (vault.store.engine.dialect.name === "sqlite") await first;
        await Promise.all([first, other.log.flush()]);
      }
      await other.close();
      await vault.store.log.flush();
      const whole = await verify(vault.store);
      expect(whole).toMatchObject({ fault: null, entries: 40 });
      const change = (statement: string) => vault.store.engine.write((on) => on.run(raw(statement)));
      const findFaultyEntry = async () => (await verify(vault.store)).fault?.entry;
      const victim = (await read(vault.store))[20]!.entryNo;
      await change(`UPDATE access_log SET records = records + 1 WHERE entry_no = ${victim}`);
      expect(await findFaultyEntry()).toBe(victim);
      await change(`UPDATE access_log SET records = records - 1 WHERE entry_no = ${victim}`);
      expect(await findFaultyEntry()).toBeUndefined();
      await change(`UPDATE access_log SET client = 'Somebody' WHERE entry_no = ${victim}`);
      expect(await findFaultyEntry()).toBe(victim);
      await change(`UPDATE access_log SET client = 'Reader' WHERE entry_no = ${victim}`);
      await change(`DELETE FROM access_log WHERE entry_no = ${victim}`);
      expect(await findFaultyEntry()).toBe(victim + 1);
      await change(`DELETE FROM access_log WHERE entry_no > ${victim}`);
      expect(await findFaultyEntry()).toBe(victim);
    }));

  it("[LOG-5, LOG-12] hashes the list of records, and leaves the hash of entries without one unchanged", () =>
    withVault(open, async ({ store }) => {
      store.log.note(createEntry(1));
      store.log.note(createEntry(2, { versions: "5.1" }));
      await store.log.flush();
      expect((await read(store)).map(({ versions }) => versions)).toEqual([undefined, "5.1"]);
      // The hash as computed before lists existed.
      const plain = encodeEntry(createEntry(1), { entryNo: 7, journalId: "j", journalNo: 3, phase: "whole" });
      expect(hashRow("before", plain)).toBe("ynYHJRbhtUgjyiUQvTqovKQ4EVgjrmkG0QT5dlO5lM0");
      const { last } = await verify(store);
      const change = (statement: string) => store.engine.write((on) => on.run(raw(statement)));
      for (const [no, list] of [
        [last, "'5'"],
        [last, "'5.1+9'"],
        [last, "NULL"],
        [last - 1, "'1'"],
      ] as const) {
        await change(`UPDATE access_log SET versions = ${list} WHERE entry_no = ${no}`);
        expect((await verify(store)).fault?.entry).toBe(no);
        await change(`UPDATE access_log SET versions = ${no === last ? "'5.1'" : "NULL"} WHERE entry_no = ${no}`);
        expect((await verify(store)).fault).toBeNull();
      }
    }));

  it("[LOG-5] detects a rewritten chain by a hash that was kept elsewhere", () =>
    withVault(open, async ({ store }) => {
      for (let n = 0; n < 10; n += 1) store.log.note(createEntry(n));
      await store.log.flush();
      const { last, hash } = await verify(store);
      const kept = { entry: last, hash };
      expect((await verify(store, kept)).fault).toBeNull();
      await store.engine.write(async (on) => {
        await on.run(raw("DELETE FROM access_log"));
        await on.run(raw("DELETE FROM access_log_chain"));
      });
      for (let n = 0; n < 20; n += 1) store.log.note(createEntry(n, { client: "Nobody" }));
      await store.log.flush();
      expect((await verify(store)).fault).toBeNull();
      expect((await verify(store, kept)).fault).toMatchObject({ entry: last });
    }));

  it("[LOG-6] prunes old entries, and still verifies the rest", () =>
    withVault(open, async ({ store }) => {
      for (let n = 0; n < 30; n += 1) store.log.note(createEntry(n));
      await store.log.flush();
      expect(await store.engine.write((on) => pruneLog(on, ownerNo, 12))).toBe(12);
      expect(getTimes(await read(store))[0]).toBe(12);
      store.log.note(createEntry(99));
      await store.log.flush();
      expect(await verify(store)).toMatchObject({ fault: null, entries: 19 });
      expect(await store.engine.write((on) => pruneLog(on, ownerNo, 1000))).toBe(19);
      expect(await verify(store)).toMatchObject({ fault: null, entries: 0 });
      store.log.note(createEntry(5000));
      await store.log.flush();
      expect(await verify(store)).toMatchObject({ fault: null, entries: 1 });
    }));

  it("[LOG-5] keeps entries from before the chain, and counts them separately", () =>
    withVault(open, async (vault) => {
      await vault.store.engine.write(async (on) => {
        await on.run(sql`INSERT INTO access_log (entry_no, owner_no, at, request_id, client, grant_ids, operation, connection_ids, status,
          records, bytes) VALUES (1, ${ownerNo}, 1, 'r', 'Old', '[]', 'fetch', '[]', 200, 1, 1)`);
        await on.run(raw("UPDATE access_log_chain SET entry_no = 1, first_no = 1, last_no = 1"));
      });
      vault.store.log.note(createEntry(2));
      await vault.store.log.flush();
      expect((await read(vault.store)).map(({ client }) => client)).toEqual(["Old", "Reader"]);
      expect(await verify(vault.store)).toMatchObject({ fault: null, entries: 1, unchained: 1 });
    }));
}
