import { expect, it } from "vitest";
import { listChangedRecords, loadHorizon } from "#server/store/records/changes";
import { pruneHistory } from "#server/store/records/prune-history";
import type { Store } from "#server/store/store";
import { findIntegrityFaults } from "../integrity.ts";
import { createEntries, createScope, now, openDiary, ownerNo, put } from "../sample.ts";
import { type OpenVault, withVault } from "../vault.ts";

const loadHorizonOf = (store: Store) => store.engine.read((on) => loadHorizon(on, ownerNo));

async function listChanges(store: Store, since: number, upTo: number, after = since, limit = 1000) {
  const scope = await createScope(store);
  const found = await store.engine.read((on) => listChangedRecords(on, scope, { since, upTo, after, limit }));
  return found.map(({ connection, key, version, before, after, deletedAt }) => ({
    at: `${connection.id}/${key}`,
    version,
    before: getTitle(before),
    after: getTitle(after),
    deletedAt,
  }));
}

const getTitle = (data: string | null): string | null =>
  data === null ? null : (JSON.parse(data) as { title: string }).title;

export function testChanges(open: OpenVault): void {
  it("lists each changed record once, with its state before and after", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home", "work"]);
      await put(store, "home", [
        { id: "same", title: "s" },
        { id: "edited", title: "e1" },
        { id: "deleted", title: "d1" },
        { id: "back", title: "b1" },
      ]);
      await put(store, "work", [{ id: "edited", title: "w1" }]);
      const { current: since } = await loadHorizonOf(store);
      await put(
        store,
        "home",
        [{ id: "edited", title: "e2" }, { id: "edited", title: "e3" }, { gone: "deleted" }, { gone: "back" }],
        now + 1,
      );
      await put(store, "work", [
        { id: "edited", title: "w2" },
        { id: "new", title: "n1" },
      ]);
      await put(store, "home", [
        { id: "back", title: "b2" },
        { id: "brief", title: "x" },
        { id: "same", title: "s" },
      ]);
      await put(store, "home", [{ gone: "brief" }], now + 2);
      const { current: upTo } = await loadHorizonOf(store);
      const found = await listChanges(store, since, upTo);
      expect(found.map(({ version: _, ...change }) => change)).toEqual([
        { at: "home/edited", before: "e1", after: "e3", deletedAt: null },
        { at: "home/deleted", before: "d1", after: null, deletedAt: now + 1 },
        { at: "work/edited", before: "w1", after: "w2", deletedAt: null },
        { at: "work/new", before: null, after: "n1", deletedAt: null },
        { at: "home/back", before: "b1", after: "b2", deletedAt: null },
        { at: "home/brief", before: null, after: null, deletedAt: now + 2 },
      ]);
      const versions = found.map(({ version }) => version);
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(await listChanges(store, upTo, upTo)).toEqual([]);
      expect(await listChanges(store, 0, since)).toHaveLength(5);
    }));

  it("pages up to the horizon at which paging began, during concurrent writes", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home", "work"]);
      for (const id of ["home", "work"])
        await put(
          store,
          id,
          createEntries(40, () => ({ title: "first" })),
        );
      const { current: upTo } = await loadHorizonOf(store);
      const seen: string[] = [];
      for (let after = 0, n = 0; ; n += 1) {
        const page = await listChanges(store, 0, upTo, after, 7);
        if (page.length === 0) break;
        expect(page.every(({ after: title }) => title === "first")).toBe(true);
        seen.push(...page.map((change) => change.at));
        after = page.at(-1)!.version;
        await put(store, "home", [
          { id: "e00039", title: `later ${n}` },
          { gone: "e00038" },
          { id: `e00037`, title: `later ${n}` },
          { id: `new${n}`, title: "new" },
        ]);
        await put(store, "work", [{ gone: `e000${30 + (n % 10)}` }]);
      }
      expect(seen).toHaveLength(80);
      expect(new Set(seen).size).toBe(80);
      const { current } = await loadHorizonOf(store);
      const rest = await listChanges(store, upTo, current);
      expect(rest.find((change) => change.at === "home/e00039")).toMatchObject({ before: "first" });
      expect(rest.find((change) => change.at === "home/e00038")).toMatchObject({ before: "first", after: null });
    }));

  it("prunes superseded states, which expires earlier bookmarks but not later ones", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(
        store,
        "home",
        [
          { id: "a", title: "a1" },
          { id: "b", title: "b1" },
          { id: "c", title: "c1" },
        ],
        1000,
      );
      const { current: early } = await loadHorizonOf(store);
      await put(store, "home", [{ id: "a", title: "a2" }, { gone: "b" }], 2000);
      const { current: middle } = await loadHorizonOf(store);
      await put(
        store,
        "home",
        [
          { id: "a", title: "a3" },
          { id: "b", title: "b2" },
        ],
        3000,
      );
      const later = await listChanges(store, middle, (await loadHorizonOf(store)).current);

      const prune = (before: number) => store.engine.write((on) => pruneHistory(on, ownerNo, before));
      expect(await prune(2000)).toBe(0);
      expect((await loadHorizonOf(store)).pruned).toBe(0);
      expect(await prune(2001)).toBe(2);
      const { pruned, current } = await loadHorizonOf(store);
      expect(early).toBeLessThan(pruned);
      expect(middle).toBeGreaterThanOrEqual(pruned);
      expect(await listChanges(store, middle, current)).toEqual(later);
      expect(await listChanges(store, 0, current)).toHaveLength(3);
      await prune(1500);
      expect((await loadHorizonOf(store)).pruned).toBe(pruned);
      expect(await prune(9000)).toBe(2);
      expect(await prune(9000)).toBe(0);
      expect(await findIntegrityFaults(store)).toEqual([]);
      await put(store, "home", [{ gone: "b" }], 9500);
      expect(await prune(99_000)).toBe(1);
      await put(store, "home", [{ id: "b", title: "b3" }], 9600);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));
}
