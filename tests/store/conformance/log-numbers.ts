import { expect, it } from "vitest";
import { openAccessLog, readAccessLog } from "#server/store/access/log/access-log";
import { pruneLog } from "#server/store/access/log/log-chain";
import { hashRow, type LogRow } from "#server/store/access/log/log-entry";
import { findEntry, loadLogPage } from "#server/store/access/log/log-page";
import { verifyLog } from "#server/store/access/log/log-verification";
import { insertOwner } from "#server/store/access/owners";
import { raw, sql } from "#server/store/engine/sql";
import { openStore, type Store } from "#server/store/store";
import { beforeSources, getLocation, type OpenVault, withVault } from "../vault.ts";
import { createEntry } from "./access-log.ts";

const log = async (store: Store, ...ownerNos: number[]) => {
  for (const ownerNo of ownerNos) store.log.note(createEntry(1, { ownerNo }));
  await store.log.flush();
};
const getNumbers = async (store: Store, ownerNo: number) =>
  (await store.engine.read((on) => readAccessLog(on, ownerNo, { limit: 1000 }))).map(({ entryNo }) => entryNo);
const verify = (store: Store, ownerNo: number, kept?: { entry: number; hash: string }) =>
  store.engine.read((on) => verifyLog(on, ownerNo, kept));
const addSecond = (store: Store) => store.engine.write((on) => insertOwner(on, "second"));

/** Undoes the migration that gave owners numbers of their own; the chain is as it was then. */
async function shareNumbers(store: Store): Promise<void> {
  await store.engine.write(async (on) => {
    for (const statement of beforeSources) await on.run(raw(statement));
    await on.run(raw("DROP INDEX access_log_owner_entry"));
    await on.run(raw("DROP TABLE access_log_owner"));
    // What an unknown token left at the time.
    await on.run(raw("UPDATE access_log SET owner_no = 0, kind = 'refusal' WHERE entry_no = 3"));
    let hash = "";
    const rows = await on.all<LogRow>(raw("SELECT * FROM access_log ORDER BY entry_no"));
    for (const row of rows) {
      hash = hashRow(hash, { ...row, owner_entry_no: null });
      await on.run(sql`UPDATE access_log SET hash = ${hash} WHERE entry_no = ${row.entry_no}`);
    }
    await on.run(raw("ALTER TABLE access_log DROP COLUMN owner_entry_no"));
    await on.run(sql`UPDATE access_log_head SET hash = ${hash}`);
    await on.run(raw("UPDATE meta SET value = '19' WHERE name = 'schema_version'"));
  });
}

export function testLogNumbers(open: OpenVault): void {
  it("[LOG-17] numbers each owner's entries by themselves, and shows nothing of another's", () =>
    withVault(open, async ({ store }) => {
      const second = await addSecond(store);
      await log(store, 1, 1, second);
      const look = async () => ({
        numbers: await getNumbers(store, 1),
        page: await store.engine.read((on) => loadLogPage(on, 1, { limit: 1 })),
        verified: await verify(store, 1),
      });
      const before = await look();
      expect(before).toMatchObject({
        numbers: [1, 2],
        page: { next: 2, last: 2 },
        verified: { fault: null, entries: 2, last: 2 },
      });
      await log(store, ...Array.from({ length: 50 }, () => second));
      expect(await look()).toEqual(before);
      await log(store, 1);
      expect(await getNumbers(store, 1)).toEqual([1, 2, 3]);
      expect(await getNumbers(store, second)).toEqual(Array.from({ length: 51 }, (_, n) => n + 1));
      expect(await store.engine.read((on) => findEntry(on, 1, 4))).toBeUndefined();
      expect(await store.engine.read((on) => findEntry(on, second, 3))).toMatchObject({ ownerNo: second, entryNo: 3 });
      expect(await verify(store, second, { entry: before.verified.last, hash: before.verified.hash })).toMatchObject({
        fault: { entry: 2 },
      });
    }));

  it("[LOG-17] names a tampered entry by the owner's own numbers", () =>
    withVault(open, async ({ store }) => {
      const second = await addSecond(store);
      await log(store, 1, second, second, 1);
      const tamper = async (statement: string) => {
        const found = { first: 0, second: 0 };
        const undo = new Error("undo");
        await store.engine
          .write(async (on) => {
            await on.run(raw(statement));
            found.first = (await verifyLog(on, 1)).fault?.entry ?? 0;
            found.second = (await verifyLog(on, second)).fault?.entry ?? 0;
            throw undo;
          })
          .catch((error: unknown) => expect(error).toBe(undo));
        return found;
      };
      const isThird = "owner_no <> 1 AND owner_entry_no = 2";
      expect(await tamper(`UPDATE access_log SET client = 'x' WHERE ${isThird}`)).toEqual({ first: 2, second: 2 });
      expect(await tamper(`UPDATE access_log SET owner_entry_no = 9 WHERE ${isThird}`)).toEqual({
        first: 2,
        second: 9,
      });
      expect(await tamper(`UPDATE access_log SET owner_entry_no = NULL WHERE ${isThird}`)).toEqual({
        first: 2,
        second: 3,
      });
      expect(await tamper(`DELETE FROM access_log WHERE ${isThird}`)).toEqual({ first: 2, second: 2 });
      expect(await tamper("DELETE FROM access_log WHERE owner_no = 1 AND owner_entry_no = 2")).toEqual({
        first: 2,
        second: 3,
      });
    }));

  it("[LOG-17, LOG-3] puts an unknown token into every owner's log once, and counts lost entries by owner", () =>
    withVault(open, async (vault) => {
      const second = await addSecond(vault.store);
      await log(vault.store, 0);
      const { engine } = vault.store;
      let isBroken = true;
      const write: typeof engine.write = (work) =>
        isBroken ? Promise.reject(new Error("disk full")) : engine.write(work);
      const full = openAccessLog(
        { ...engine, write },
        {
          folder: `${vault.dataDir}/log/test`,
          onError: () => undefined,
          limits: { journalBytes: 4096, waiting: 5 },
        },
      );
      while (full.note(createEntry(1), "must keep"));
      for (let n = 0; n < 20; n += 1) full.note(createEntry(2, { ownerNo: n < 8 ? 1 : second }));
      isBroken = false;
      await full.flush();
      await full.close();
      const find = async (ownerNo: number) => {
        const entries = await engine.read((on) => readAccessLog(on, ownerNo, { limit: 1000 }));
        const gaps = entries.filter(({ operation }) => operation === "log.gap");
        return { gaps: gaps.map(({ times }) => times), first: entries[0]?.ownerNo, numbers: entries.length };
      };
      expect(await find(1)).toMatchObject({ gaps: [8], first: 1 });
      expect(await find(second)).toEqual({ gaps: [12], first: second, numbers: 2 });
      expect(await verify(vault.store, second)).toMatchObject({ fault: null, entries: 2 });
    }));

  it("[LOG-17, LOG-6] does not reuse numbers after the whole log was pruned", () =>
    withVault(open, async ({ store }) => {
      await log(store, 1, 1, 1);
      await store.engine.write((on) => pruneLog(on, 1, 1000));
      await log(store, 1);
      expect(await getNumbers(store, 1)).toEqual([4]);
    }));

  it("[LOG-17] keeps the numbers of a vault whose owners shared one sequence, and a hash kept from then", () =>
    withVault(open, async (vault) => {
      const second = await addSecond(vault.store);
      await log(vault.store, 1, second, second, 1, second);
      await shareNumbers(vault.store);
      const { hash } = (await vault.store.engine.read((on) =>
        on.one<{ hash: string }>(raw("SELECT hash FROM access_log_head")),
      ))!;
      // An upgrade needs a SQLite vault to itself.
      await vault.store.close();
      const store = await openStore(getLocation(vault));
      try {
        expect(await getNumbers(store, 1)).toEqual([1, 3, 4]);
        expect(await getNumbers(store, second)).toEqual([2, 5]);
        for (const ownerNo of [1, second]) expect((await verify(store, ownerNo, { entry: 5, hash })).fault).toBeNull();
        await log(store, 1, second, 1);
        expect(await getNumbers(store, 1)).toEqual([1, 3, 4, 6, 7]);
        expect(await getNumbers(store, second)).toEqual([2, 5, 6]);
        for (const ownerNo of [1, second]) {
          expect((await verify(store, ownerNo, { entry: 5, hash })).fault).toBeNull();
          expect((await verify(store, ownerNo, { entry: 5, hash: hash.replace(/./, "-") })).fault?.entry).toBe(5);
        }
        const third = await store.engine.write((on) => insertOwner(on, "third"));
        await log(store, third);
        expect(await getNumbers(store, third)).toEqual([1]);
      } finally {
        await store.close();
      }
    }));
}
