import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type AccessEntry, readAccessLog } from "../access/access-log.ts";
import { openStore, type Store } from "../store.ts";
import { ownerNo } from "./sample.ts";
import { locationOf, type OpenVault, using } from "./vault.ts";

const entry = (n: number, more: Partial<AccessEntry> = {}): AccessEntry => ({
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

const read = (store: Store, query: { grantId?: string; after?: number; limit?: number } = {}) =>
  store.engine.read((on) => readAccessLog(on, ownerNo, { limit: 1000, ...query }));
const numbers = (log: readonly AccessEntry[]) => log.map(({ at }) => at);

export function accessLogCases(open: OpenVault): void {
  it("keeps entries as they were noted, in order", () =>
    using(open, async ({ store }) => {
      const odd = entry(2, { grantIds: [], connectionIds: ["a", "b"], stream: null, status: 404, client: 'né"x' });
      store.log.note(entry(1));
      store.log.note(odd);
      expect(await read(store)).toEqual([]);
      await store.log.flush();
      expect((await read(store)).map(({ entryNo: _, ...rest }) => rest)).toEqual([entry(1), odd]);
    }));

  it("writes by itself a moment later, and at once when many wait", () =>
    using(open, async ({ store }) => {
      store.log.note(entry(0));
      await expect.poll(async () => (await read(store)).length, { timeout: 5000 }).toBe(1);
      for (let n = 1; n <= 500; n += 1) store.log.note(entry(n));
      await pause(0);
      await store.log.flush();
      expect(numbers(await read(store))).toEqual(Array.from({ length: 501 }, (_, n) => n));
    }));

  it("is whole after the vault was closed", () =>
    using(open, async (vault) => {
      const other = await openStore(locationOf(vault));
      other.log.note(entry(1));
      await other.close();
      expect(numbers(await read(vault.store))).toEqual([1]);
    }));

  it("gives the newest entries, or those behind one, of all grants or of exactly one", () =>
    using(open, async ({ store }) => {
      const grants = ["grt_A", "grt_a", "grt-a", "grt%", "grt_a2"];
      for (let n = 0; n < 20; n += 1)
        store.log.note(entry(n, { grantIds: [grants[n % 5]!, ...(n === 19 ? ["grt_a"] : [])] }));
      await store.log.flush();
      expect(numbers(await read(store, { limit: 3 }))).toEqual([17, 18, 19]);
      const after = (await read(store))[4]!.entryNo;
      expect(numbers(await read(store, { after, limit: 3 }))).toEqual([5, 6, 7]);
      expect(numbers(await read(store, { grantId: "grt_a" }))).toEqual([1, 6, 11, 16, 19]);
      expect(numbers(await read(store, { grantId: "grt_A", after, limit: 2 }))).toEqual([5, 10]);
      expect(numbers(await read(store, { grantId: "grt%" }))).toEqual([3, 8, 13, 18]);
      expect(await read(store, { grantId: "grt" })).toEqual([]);
    }));

  it("tells of a batch that could not be written, and goes on with the next", () =>
    using(open, async (vault) => {
      const faults: unknown[] = [];
      const store = await openStore(locationOf(vault), (error) => faults.push(error));
      store.log.note(entry(1, { requestId: null as never }));
      await store.log.flush();
      store.log.note(entry(2));
      await store.close();
      expect(faults).toHaveLength(1);
      expect(numbers(await read(vault.store))).toEqual([2]);
    }));
}
