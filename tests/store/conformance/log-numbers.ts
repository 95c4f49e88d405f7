import { expect, it } from "vitest";
import { openAccessLog, readAccessLog } from "#server/store/access/log/access-log";
import { pruneLog } from "#server/store/access/log/log-chain";
import { getRowValues, hashRow, type LogRow, logColumns } from "#server/store/access/log/log-entry";
import { findEntry, loadLogPage } from "#server/store/access/log/log-page";
import { verifyLog } from "#server/store/access/log/log-verification";
import { insertOwner } from "#server/store/access/owners";
import { raw, sql } from "#server/store/engine/sql";
import { openStore, type Store } from "#server/store/store";
import { beforeSources, getLocation, type OpenVault, undoOwnerKeys, withVault } from "../vault.ts";
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

/**
 * Turns the vault into one of an earlier schema: its owners share one chain, in the order of `owners`. In schema 19 they share its
 * numbers too, and the third entry is of no owner, as an unknown token left it at the time. Returns the newest hash.
 */
async function shareChain(store: Store, schema: 19 | 24, owners: readonly number[]): Promise<string> {
  return store.engine.write(async (on) => {
    const rows = await on.all<LogRow>(raw("SELECT * FROM access_log ORDER BY owner_no, entry_no"));
    const byOwner = Map.groupBy(rows, ({ owner_no }) => owner_no);
    await on.run(raw("DELETE FROM access_log"));
    let hash = "";
    const shared: LogRow[] = [];
    for (const [n, owner] of owners.entries()) {
      const row = { ...byOwner.get(owner)!.shift()!, entry_no: n + 1, owner_entry_no: schema === 19 ? null : n + 1 };
      if (schema === 24) row.owner_entry_no = owners.slice(0, n + 1).filter((each) => each === owner).length;
      else if (n === 2) Object.assign(row, { owner_no: 0, kind: "refusal" });
      hash = hashRow(hash, row);
      shared.push({ ...row, hash });
    }
    await on.insert("access_log", logColumns, shared.map(getRowValues));
    for (const statement of undoOwnerKeys(on.dialect.name)) await on.run(raw(statement));
    await on.run(
      sql`UPDATE access_log_head SET entry_no = ${owners.length}, hash = ${hash}, first_no = 0, first_hash = ''`,
    );
    if (schema === 19) {
      for (const statement of beforeSources) await on.run(raw(statement));
      await on.run(raw("DROP INDEX access_log_owner_entry"));
      await on.run(raw("DROP TABLE access_log_owner"));
      await on.run(raw("ALTER TABLE access_log DROP COLUMN owner_entry_no"));
    }
    await on.run(sql`UPDATE meta SET value = ${String(schema)} WHERE name = 'schema_version'`);
    return hash;
  });
}

/** The entries that the owners' verifications report after a change, which is undone; 0 for none. */
async function findFaultsAfter(store: Store, change: string, owners: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  const undo = new Error("undo");
  await store.engine
    .write(async (on) => {
      await on.run(raw(change));
      for (const ownerNo of owners) found.push((await verifyLog(on, ownerNo)).fault?.entry ?? 0);
      throw undo;
    })
    .catch((error: unknown) => expect(error).toBe(undo));
  return found;
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

  it("[LOG-17, LOG-19] names a tampered entry by the owner's own numbers, in that owner's log only", () =>
    withVault(open, async ({ store }) => {
      const second = await addSecond(store);
      await log(store, 1, second, second, 1);
      const tamper = (statement: string) =>
        findFaultsAfter(store, statement, [1, second]).then(([a, b]) => ({ first: a, second: b }));
      const second2 = `owner_no = ${second} AND owner_entry_no = 2`;
      expect(await tamper(`UPDATE access_log SET client = 'x' WHERE ${second2}`)).toEqual({ first: 0, second: 2 });
      expect(await tamper(`UPDATE access_log SET owner_entry_no = 9 WHERE ${second2}`)).toEqual({
        first: 0,
        second: 9,
      });
      expect(await tamper(`DELETE FROM access_log WHERE ${second2}`)).toEqual({ first: 0, second: 2 });
      expect(await tamper("DELETE FROM access_log WHERE owner_no = 1 AND owner_entry_no = 2")).toEqual({
        first: 2,
        second: 0,
      });
      // Nor can a row be passed off as one that was moved into the first owner's log.
      expect(await tamper("UPDATE access_log SET was_unowned = 1 WHERE owner_entry_no = 2")).toEqual({
        first: 2,
        second: 2,
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

  it("[LOG-17] puts an unknown token into the first owner's log only if there are more than 100 owners", () =>
    withVault(open, async ({ store }) => {
      await store.engine.write(async (on) => {
        for (let no = 2; no <= 100; no += 1)
          await on.run(
            sql`INSERT INTO owner (owner_no, name, next_version, pruned_version) VALUES (${no}, ${`o${no}`}, 1, 0)`,
          );
      });
      await log(store, 0);
      expect([await getNumbers(store, 1), await getNumbers(store, 100)]).toEqual([[1], [1]]);
      expect(await addSecond(store)).toBe(101);
      await log(store, 0);
      expect([await getNumbers(store, 1), await getNumbers(store, 100), await getNumbers(store, 101)]).toEqual([
        [1, 2],
        [1],
        [],
      ]);
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
      const hash = await shareChain(vault.store, 19, [1, second, second, 1, second]);
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

  it("[LOG-19, LOG-6] prunes one owner's log and leaves the other's", () =>
    withVault(open, async ({ store }) => {
      const second = await addSecond(store);
      await log(store, 1, second, 1, second);
      const theirs = await verify(store, second);
      expect(await store.engine.write((on) => pruneLog(on, 1, 1000))).toBe(2);
      expect(await verify(store, 1)).toMatchObject({ fault: null, entries: 0 });
      expect(await verify(store, second)).toEqual(theirs);
      await log(store, 1, second);
      for (const ownerNo of [1, second]) expect((await verify(store, ownerNo)).fault).toBeNull();
    }));

  it("[LOG-19] continues the shared chain of a vault from before, and finds changes in it for every owner", () =>
    withVault(open, async (vault) => {
      const second = await addSecond(vault.store);
      const owners = [1, second];
      await log(vault.store, 1, second, second, 1, second);
      const hash = await shareChain(vault.store, 24, [1, second, second, 1, second]);
      await vault.store.close();
      const store = await openStore(getLocation(vault));
      try {
        const third = await store.engine.write((on) => insertOwner(on, "third"));
        await log(store, 1, second, second, third);
        expect(await getNumbers(store, 1)).toEqual([1, 2, 3]);
        expect(await getNumbers(store, second)).toEqual([1, 2, 3, 4, 5]);
        expect(await verify(store, 1)).toMatchObject({ fault: null, entries: 3 });
        expect(await verify(store, second, { entry: 3, hash })).toMatchObject({ fault: null, entries: 5 });
        expect(await verify(store, third)).toMatchObject({ fault: null, entries: 1 });
        const shared = `owner_no = ${second} AND entry_no = 3`;
        expect(await findFaultsAfter(store, `UPDATE access_log SET client = 'x' WHERE ${shared}`, owners)).toEqual([
          2, 2,
        ]);
        expect(await findFaultsAfter(store, `DELETE FROM access_log WHERE ${shared}`, owners)).toEqual([2, 2]);
        expect(
          await findFaultsAfter(store, `UPDATE access_log SET owner_no = ${third} WHERE ${shared}`, owners),
        ).toEqual([2, 2]);
        expect(await findFaultsAfter(store, `DELETE FROM access_log WHERE entry_no = 5`, owners)).toEqual([3, 3]);
        // What follows the shared chain belongs to one owner.
        const later = `owner_no = ${second} AND entry_no = 7`;
        expect(await findFaultsAfter(store, `DELETE FROM access_log WHERE ${later}`, owners)).toEqual([0, 5]);
        for (const ownerNo of owners)
          await expect(store.engine.write((on) => pruneLog(on, ownerNo, 1000))).rejects.toThrow(/shares a chain/);
        expect(await store.engine.write((on) => pruneLog(on, third, 1000))).toBe(1);
      } finally {
        await store.close();
      }
    }));

  it("[LOG-19, LOG-6] prunes the shared chain if only one owner has entries in it", () =>
    withVault(open, async (vault) => {
      for (const at of [10, 20, 30]) vault.store.log.note(createEntry(at));
      await vault.store.log.flush();
      await shareChain(vault.store, 24, [1, 1, 1]);
      await vault.store.close();
      const store = await openStore(getLocation(vault));
      try {
        await log(store, await addSecond(store));
        store.log.note(createEntry(40));
        await store.log.flush();
        for (const [before, left] of [
          [5, [1, 2, 3, 4]],
          [25, [3, 4]],
          [35, [4]],
          [45, []],
        ] as const) {
          await store.engine.write((on) => pruneLog(on, 1, before));
          expect(await getNumbers(store, 1)).toEqual(left);
          expect(await verify(store, 1)).toMatchObject({ fault: null, entries: left.length });
        }
        await log(store, 1);
        expect(await verify(store, 1)).toMatchObject({ fault: null, entries: 1, last: 5 });
      } finally {
        await store.close();
      }
    }));
}
