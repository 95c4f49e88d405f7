import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createOwner } from "@pdpp/server/owner/owner";
import { expect, it } from "vitest";
import { openAccessLog, readAccessLog } from "#server/store/access/log/access-log";
import { encodeEntry, hashRow } from "#server/store/access/log/log-entry";
import { verifyLog } from "#server/store/access/log/log-verification";
import { raw } from "#server/store/engine/sql";
import type { Store } from "#server/store/store";
import { ownerNo } from "../sample.ts";
import { type OpenVault, withVault } from "../vault.ts";
import { createEntry } from "./access-log.ts";

const listRequests = async (store: Store) => {
  await store.log.flush();
  const entries = await store.engine.read((on) => readAccessLog(on, ownerNo, { limit: 1000 }));
  return entries.filter(({ kind }) => kind === "read").map(({ request }) => request);
};
const findFault = async (store: Store) => (await store.engine.read((on) => verifyLog(on, ownerNo))).fault;
const change = (store: Store, statement: string) => store.engine.write((on) => on.run(raw(statement)));

const buildRequest = (q: string): string => JSON.stringify({ operation: "search", arguments: { q } });

export function testLoggedRequests(open: OpenVault): void {
  it("[LOG-14] hashes what was asked, and leaves the hash of entries without it unchanged", () =>
    withVault(open, async ({ store }) => {
      const place = { entryNo: 7, journalId: "j", journalNo: 3, phase: "whole" } as const;
      // The hashes as computed before requests existed.
      expect(hashRow("before", encodeEntry(createEntry(1), place))).toBe("ynYHJRbhtUgjyiUQvTqovKQ4EVgjrmkG0QT5dlO5lM0");
      expect(hashRow("before", encodeEntry(createEntry(1, { versions: "5.1" }), place))).toBe(
        "ccI39-FzMd33Kq31ihgWnILE8MhLQbcU-ZhszazqRMg",
      );
      store.log.note(createEntry(1));
      store.log.note(createEntry(2, { versions: "5.1", request: buildRequest("boiler") }));
      const hostile = buildRequest('né"\u0000\ud800\u202e');
      store.log.note(createEntry(3, { request: hostile }));
      expect(await listRequests(store)).toEqual([undefined, buildRequest("boiler"), hostile]);
      expect(await findFault(store)).toBeNull();
      const last = (await store.engine.read((on) => verifyLog(on, ownerNo))).last;
      const kept = await store.engine.read((on) =>
        on.all<{ request: string | null; request_digest: string | null }>(
          raw("SELECT request, request_digest FROM access_log ORDER BY entry_no"),
        ),
      );
      const quote = (value: string | null | undefined) => (value == null ? "NULL" : `'${value.replaceAll("'", "''")}'`);
      for (const [back, column, value] of [
        [1, "request", quote(kept[1]?.request?.replace("boiler", "toilet"))],
        [1, "request", "NULL"],
        [1, "request_digest", "NULL"],
        [1, "request_digest", quote(kept[2]?.request_digest)],
        [2, "request", quote(kept[1]?.request)],
        [2, "request_digest", quote(kept[1]?.request_digest)],
      ] as const) {
        await change(store, `UPDATE access_log SET ${column} = ${value} WHERE entry_no = ${last - back}`);
        expect([back, column, value, (await findFault(store))?.entry]).toEqual([back, column, value, last - back]);
        const before = kept[2 - back]!;
        await change(
          store,
          `UPDATE access_log SET ${column} = ${quote(before[column])} WHERE entry_no = ${last - back}`,
        );
        expect(await findFault(store)).toBeNull();
      }
    }));

  it("[LOG-16] does not reveal a deleted request by its digest", () =>
    withVault(open, async ({ store }) => {
      for (const n of [1, 2]) store.log.note(createEntry(n, { request: buildRequest("boiler") }));
      await store.log.flush();
      const rows = await store.engine.read((on) => on.all<{ request_digest: string }>(raw("SELECT * FROM access_log")));
      expect(new Set(rows.map(({ request_digest }) => request_digest)).size).toBe(2);
    }));

  it("[LOG-14] [LOG-16] deletes requests with the data they may quote, and detects other deletions", () =>
    withVault(open, async ({ store }) => {
      const owner = createOwner({ store, ownerNo, now: () => 10_000 });
      for (const at of [1, 2, 3]) store.log.note(createEntry(at * 1000, { request: buildRequest(`q${at}`) }));
      await owner.records.prune(2500);
      expect(await listRequests(store)).toEqual([null, null, buildRequest("q3")]);
      expect(await findFault(store)).toBeNull();
      await change(store, "UPDATE access_log SET request = NULL WHERE at = 3000");
      expect(await findFault(store)).toMatchObject({ reason: "its request was removed" });
    }));

  it("[LOG-16] deletes all requests with everything else", () =>
    withVault(open, async ({ store }) => {
      store.log.note(createEntry(1, { request: buildRequest("mine") }));
      store.log.note(createEntry(2, { ownerNo: ownerNo + 7, request: buildRequest("another owner's") }));
      await createOwner({ store, ownerNo, now: () => 10 }).erase();
      expect(await listRequests(store)).toEqual([null]);
      const others = await store.engine.read((on) => readAccessLog(on, ownerNo + 7, { limit: 10 }));
      expect(others.map(({ request }) => request)).toEqual([buildRequest("another owner's")]);
      expect(await findFault(store)).toBeNull();
    }));

  it("[LOG-16] keeps the request of an adopted entry, and nothing in the journal once the vault has it", () =>
    withVault(open, async (vault) => {
      const folder = `${vault.dataDir}/log/test`;
      const readJournals = () =>
        readdirSync(folder)
          .map((name) => readFileSync(join(folder, name), "latin1"))
          .join("");
      const place = { folder, onError: () => undefined };
      const dead = openAccessLog(vault.store.engine, place);
      dead.begin(createEntry(1, { request: buildRequest("xqbegun") }), () => createEntry(1));
      await dead.flush();
      dead.note(createEntry(2, { request: buildRequest("xqpending") }));
      expect(readJournals()).toContain("xqpending");
      expect(readJournals()).not.toContain("xqbegun");
      const next = openAccessLog(vault.store.engine, { ...place, isDead: () => true });
      await next.adopt();
      expect((await listRequests(vault.store)).sort()).toEqual([buildRequest("xqbegun"), buildRequest("xqpending")]);
      expect(await findFault(vault.store)).toBeNull();
      await next.close();
    }));
}
