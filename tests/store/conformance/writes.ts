import { createHash } from "node:crypto";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import { raw, sql } from "#server/store/engine/sql";
import { getRecord, loadStatistics } from "#server/store/records/records";
import type { Store } from "#server/store/store";
import { findIntegrityFaults } from "../integrity.ts";
import {
  createCondition,
  createDiary,
  createEntries,
  createScope,
  diaryFields,
  getKeys,
  type Line,
  list,
  now,
  openDiary,
  ownerNo,
  put,
} from "../sample.ts";
import { type OpenVault, withVault } from "../vault.ts";

const loadHistory = (store: Store) =>
  store.engine.read((on) =>
    on.all<{ revision: number; until_version: number | null; deleted_at: number | null; data: string | null }>(
      sql`SELECT revision, until_version, deleted_at, data FROM record_history ORDER BY version`,
    ),
  );

const countRecordsOf = async (store: Store, ids: readonly string[]) => {
  const scope = await createScope(store, ids);
  return (await store.engine.read((on) => loadStatistics(on, scope))).map(({ count }) => count);
};

async function loadStored(store: Store, key: string, id = "home") {
  const scope = await createScope(store, [id]);
  const record = await store.engine.read((on) => getRecord(on, scope, key));
  return record && { data: JSON.parse(record.data ?? "null") as unknown, revision: record.revision };
}

export function testWrites(open: OpenVault): void {
  it("ignores a repeated key in an append-only stream, even with other data", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], createDiary({ semantics: "append_only" }));
      expect(await put(store, "home", [{ id: "a", title: "one" }])).toMatchObject({
        records_accepted: 1,
        records_unchanged: 0,
      });
      expect(await put(store, "home", [{ id: "a", title: "two" }])).toMatchObject({
        records_accepted: 1,
        records_unchanged: 1,
      });
      expect(await loadStored(store, "a")).toEqual({ data: { id: "a", title: "one" }, revision: 1 });
      expect(await loadHistory(store)).toEqual([]);
    }));

  it("[ING-1] stores a record with an invalid date-time, notes it, and finds the record by its other fields", () =>
    withVault(open, async ({ store }) => {
      const sorted = { ...diaryFields, sent_at: { type: "string", format: "date-time" } };
      await openDiary(store, ["home"], createDiary({ cursor_field: "sent_at" }, sorted));
      const sent_at = "2026-01-01T00:00:00Z";
      const mail = { id: "a", sent_at, title: "one", written_at: "Wed, 31 Feb 26:00" };
      const report = await put(store, "home", [
        mail,
        { id: "b", sent_at, written_at: sent_at },
        { id: "c", sent_at: "soon" },
      ]);
      expect(report).toMatchObject({
        records_accepted: 2,
        records_rejected: 1,
        rejections: [{ line: 3, code: "schema_violation" }],
        notes: [{ input_index: 0, line: 1, field: "written_at", reason: '/written_at must match format "date-time"' }],
        notes_truncated: false,
      });
      expect(await loadStored(store, "a")).toEqual({ data: mail, revision: 1 });
      const scope = await createScope(store);
      const found = async (field: string, operator: "eq" | "gte", value: string | number) =>
        getKeys(await list(store, scope, { conditions: [createCondition(scope, field, operator, value)] }));
      expect(await found("title", "eq", "one")).toEqual(["a"]);
      expect(await found("written_at", "gte", 0)).toEqual(["b"]);
      expect(await put(store, "home", [mail])).toMatchObject({ records_unchanged: 1, notes: [{ line: 1 }] });
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("replaces a mutable record, and keeps its previous state", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      for (const title of ["one", "two", "two", "three"]) await put(store, "home", [{ id: "a", title }]);
      expect(await loadStored(store, "a")).toEqual({ data: { id: "a", title: "three" }, revision: 3 });
      const history = await loadHistory(store);
      expect(history.map(({ revision, data }) => [revision, JSON.parse(data!).title])).toEqual([
        [1, "one"],
        [2, "two"],
      ]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("leaves a tombstone for a deleted record, and continues its revisions when it is created again", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(store, "home", [{ id: "a", title: "one" }]);
      await put(store, "home", [{ gone: "a" }, { gone: "never was" }], now + 5);
      expect(await loadStored(store, "a")).toBeUndefined();
      expect(await countRecordsOf(store, ["home"])).toEqual([0]);
      expect((await loadHistory(store)).at(-1)).toEqual({
        revision: 2,
        until_version: null,
        deleted_at: now + 5,
        data: null,
      });
      await put(store, "home", [{ gone: "a" }]);
      expect(await loadHistory(store)).toHaveLength(2);
      await put(store, "home", [{ id: "a", title: "one" }]);
      expect(await loadStored(store, "a")).toEqual({ data: { id: "a", title: "one" }, revision: 3 });
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("accepts the same key several times in one ingest, in order", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const lines: Line[] = [
        { id: "a", title: "1" },
        { id: "b", title: "1" },
        { id: "a", title: "2" },
        { gone: "b" },
        { id: "b" },
        { gone: "a" },
      ];
      expect(await put(store, "home", lines)).toMatchObject({
        records_accepted: 6,
        records_unchanged: 0,
        records_rejected: 0,
      });
      expect(getKeys(await list(store, await createScope(store)))).toEqual(["b"]);
      expect(await loadStored(store, "b")).toEqual({ data: { id: "b" }, revision: 3 });
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("stores a large ingest in several batches, and reports each when it is stored", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const report = await put(store, "home", createEntries(2500));
      expect(report).toMatchObject({ records_attempted: 2500, records_accepted: 2500 });
      expect(await countRecordsOf(store, ["home"])).toEqual([2500]);
      const versions = await store.engine.read((on) =>
        on.all<{ version: number }>(raw("SELECT version FROM r_1 ORDER BY key")),
      );
      expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 2500 }, (_, n) => n + 1));
    }));

  it("behaves like a map for any sequence of writes and batches", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const line = fc.record({
        key: fc.constantFrom("a", "b", "c", "d", "é"),
        title: fc.constantFrom("x", "y", null, undefined),
      });
      const batch = fc.record({ to: fc.nat(1), lines: fc.array(line, { minLength: 1, maxLength: 8 }) });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
          run += 1;
          const ids = [`one${run}`, `two${run}`];
          for (const id of ids) await addConnection(store, ownerNo, { connectorKey: "diary", id }, now);
          const model = ids.map(() => new Map<string, unknown>());
          for (const { to, lines } of batches) {
            const said = lines.map(
              ({ key, title }): Line => (title === undefined ? { gone: key } : { id: key, title }),
            );
            await put(store, ids[to]!, said);
            for (const entry of said) {
              if ("gone" in entry) model[to]!.delete(entry.gone as string);
              else model[to]!.set(entry.id as string, entry);
            }
          }
          for (const [i, id] of ids.entries()) {
            const held = await list(store, await createScope(store, [id]));
            expect(new Map(held.map(({ key, data }) => [key, JSON.parse(data ?? "null")]))).toEqual(model[i]);
          }
          expect(await countRecordsOf(store, ids)).toEqual(model.map(({ size }) => size));
        }),
        { numRuns: chooseRuns(10, 25) },
      );
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("distinguishes all keys, however they are spelled", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      const keys = nastyKeys();
      await put(
        store,
        "home",
        keys.map((id, n) => ({ id, title: String(n) })),
      );
      expect(await countRecordsOf(store, ["home"])).toEqual([keys.length]);
      for (const [n, id] of keys.entries())
        expect(await loadStored(store, id), id.slice(0, 60)).toEqual({ data: { id, title: String(n) }, revision: 1 });
      const held = getKeys(await list(store, await createScope(store)));
      expect([...held].sort()).toEqual([...keys].sort());
      await put(
        store,
        "home",
        keys.slice(1).map((id) => ({ gone: id })),
      );
      expect(getKeys(await list(store, await createScope(store)))).toEqual([keys[0]]);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("finds nothing for a key that no database can store", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store);
      await put(store, "home", [{ id: "\ufffd" }, { id: "a" }]);
      for (const key of ["a\u0000", "\u0000", "\ud800", "a\udc00b", `${"x".repeat(300)}\ud800`])
        expect(await loadStored(store, key)).toBeUndefined();
    }));
}

function nastyKeys(): string[] {
  const long = "k".repeat(300);
  return [
    "plain",
    "PLAIN",
    "pläin",
    "pla\u0308in",
    "ﬀ",
    "ß",
    "ss",
    "日本語",
    "😀",
    "👩‍👩‍👧",
    "e\u0301",
    "é",
    "İ",
    "i",
    "ı",
    " lead",
    "trail ",
    "tab\tkey",
    "line\nkey",
    "cr\rkey",
    "'",
    '"',
    "''",
    "`",
    "\\",
    "%",
    "_",
    "a%b",
    "a_b",
    "?1",
    "$1",
    ":x",
    "--",
    "/*",
    "; DROP TABLE owner",
    '["a","b"]',
    "[]",
    "{}",
    "null",
    "undefined",
    "0",
    "00",
    "-0",
    "1e3",
    "1000",
    "NaN",
    "__proto__",
    "constructor",
    "toString",
    "..",
    ".",
    "/",
    "a/b:c",
    "#",
    "&",
    "=",
    "\u0001",
    "\u001f",
    "\u007f",
    "\u2028",
    "\ufeff",
    "\ufffd",
    "\uffff",
    "\u{10ffff}",
    long,
    `${long}a`,
    `${long}b`,
    "k".repeat(4096),
    "😀".repeat(4096),
    getIndexForm(long),
  ];
}

/** The index form of a long key, used as a key itself: the two must not collide. */
function getIndexForm(long: string): string {
  return `${long.slice(0, 48)}\u0001${createHash("sha256").update(long).digest("base64url")}`;
}
