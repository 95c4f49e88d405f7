import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addConnection } from "#server/owner/connections";
import type { StreamScope } from "#server/store/access/scope";
import type { Position, SortColumn } from "#server/store/records/list-query";
import { getRecord, listRelatedRecords } from "#server/store/records/records";
import type { Store } from "#server/store/store";
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
import { type OpenVault, withVault } from "../vault.ts";

const sorted = createDiary({ cursor_field: "rank" }, { ...diaryFields, rank: { type: ["number", "null"] } });
const byText = createDiary({ cursor_field: "title" });

const sortBy = (scope: StreamScope, field: string, type: SortColumn["type"]): SortColumn => ({
  column: scope.stream.columns.get(field)!.column,
  type,
  nullable: true,
});

async function walk(
  store: Store,
  scope: StreamScope,
  sort: SortColumn | undefined,
  descending: boolean,
  limit: number,
): Promise<string[]> {
  const seen: string[] = [];
  for (let after: Position | undefined; ; ) {
    const page = await list(store, scope, { sort, descending, limit, ...(after === undefined ? {} : { after }) });
    seen.push(...page.map(({ connection, key }) => `${connection.id}/${key}`));
    if (page.length < limit) return seen;
    after = page.at(-1)!.position;
  }
}

interface Entry {
  readonly to: number;
  readonly key: string;
  readonly rank: number | null;
}

/** The expected order of a list: by value, records without one last, then by key, then by connection. */
function sortExpected(held: readonly Entry[], ids: readonly string[], descending: boolean): string[] {
  const way = descending ? -1 : 1;
  const compareCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const compare = (a: Entry, b: Entry) => {
    if ((a.rank === null) !== (b.rank === null)) return a.rank === null ? 1 : -1;
    return way * ((a.rank ?? 0) - (b.rank ?? 0)) || way * compareCodePoints(a.key, b.key) || a.to - b.to;
  };
  return [...held].sort(compare).map(({ to, key }) => `${ids[to]}/${key}`);
}

export function testLists(open: OpenVault): void {
  it("returns every record exactly once, across connections, directions, ties and missing values", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, [], sorted);
      const entry = fc.record({
        to: fc.nat(2),
        key: fc.constantFrom("a", "b", "B", "é", "😀", "\uffee", "z"),
        rank: fc.constantFrom(null, -1.5, 0, 0, 1e300, 3),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(entry, { maxLength: 21, selector: ({ to, key }) => `${to}${key}` }),
          fc.integer({ min: 1, max: 5 }),
          fc.boolean(),
          async (held, limit, descending) => {
            run += 1;
            const ids = ["B", "a", "c"].map((name) => `${name}${run}`);
            for (const id of ids) await addConnection(store, ownerNo, { connectorKey: "diary", id }, now);
            for (const [to, id] of ids.entries()) {
              await put(
                store,
                id,
                held.filter((e) => e.to === to).map(({ key, rank }) => ({ id: key, rank })),
              );
            }
            const scope = await createScope(store, ids);
            expect(await walk(store, scope, sortBy(scope, "rank", "number"), descending, limit)).toEqual(
              sortExpected(held, ids, descending),
            );
            const unsorted = held.map((e) => ({ ...e, rank: null }));
            expect(await walk(store, scope, undefined, descending, limit)).toEqual(
              sortExpected(unsorted, ids, descending),
            );
          },
        ),
        { numRuns: chooseRuns(10, 30) },
      );
    }));

  it("sorts texts by code point, long ones by their prefix, and pages through them", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home", "work"], byText);
      const titles = [
        "",
        "A",
        "Z",
        "a",
        "z",
        "É",
        "é",
        "\uffee",
        "😀",
        `${"m".repeat(200)}a`,
        `${"m".repeat(300)}b`,
        `${"m".repeat(301)}`,
        null,
      ];
      for (const id of ["home", "work"])
        await put(
          store,
          id,
          titles.map((title, n) => ({ id: `k${n}`, title })),
        );
      const scope = await createScope(store);
      const sort = sortBy(scope, "title", "text");
      for (const descending of [true, false]) {
        const walked = await walk(store, scope, sort, descending, 3);
        expect(new Set(walked).size).toBe(26);
        expect(walked).toEqual(
          (await list(store, scope, { sort, descending })).map(({ connection, key }) => `${connection.id}/${key}`),
        );
      }
      const first = await list(store, await createScope(store, ["home"]), { sort });
      const short = ["", "A", "Z", "a", "z", "É", "é", "\uffee", "😀"].map((title) => `k${titles.indexOf(title)}`);
      expect(getKeys(first).filter((key) => short.includes(key))).toEqual(short);
      expect(getKeys(first).at(-1)).toBe("k12");
    }));

  it("limits a scope by its time range, its records and the filters", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home", "work"], createDiary({ consent_time_field: "written_at" }));
      const rows = createEntries(20, (n) => ({
        title: n % 2 ? "odd" : "even",
        written_at: n === 19 ? null : `2026-01-${String(n + 1).padStart(2, "0")}T00:00:00Z`,
      }));
      for (const id of ["home", "work"]) await put(store, id, rows);
      const scope = await createScope(store);
      const timed: StreamScope = {
        ...scope,
        time: { field: "written_at", since: Date.parse("2026-01-03"), until: Date.parse("2026-01-06") },
      };
      expect(getKeys(await list(store, timed))).toEqual(["e00002", "e00002", "e00003", "e00003", "e00004", "e00004"]);
      expect(getKeys(await list(store, { ...timed, resources: ["e00003", "e00019"] }))).toEqual(["e00003", "e00003"]);
      expect(getKeys(await list(store, timed, { conditions: [createCondition(scope, "title", "eq", "odd")] }))).toEqual(
        ["e00003", "e00003"],
      );
      const one: StreamScope = { ...timed, connections: timed.connections.slice(0, 1) };
      const get = (key: string) => store.engine.read((on) => getRecord(on, one, key));
      expect((await get("e00002"))?.key).toBe("e00002");
      for (const hidden of ["e00001", "e00005", "e00019", "e00099"]) expect(await get(hidden)).toBeUndefined();
    }));

  it("returns the first children of each of many parents", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], sorted);
      await put(
        store,
        "home",
        createEntries(40, (n) => ({ title: `p${n % 4}`, rank: n % 3 === 0 ? null : n })),
      );
      const scope = await createScope(store);
      const foreignKey = {
        field: "title",
        column: scope.stream.columns.get("title")!,
        values: ["p1", "none", "p0", "p1"],
      };
      const query = { sort: sortBy(scope, "rank", "number"), descending: true, limit: 3 };
      const found = await store.engine.read((on) => listRelatedRecords(on, scope, foreignKey, query));
      expect(found.map(getKeys)).toEqual([
        ["e00037", "e00029", "e00025"],
        [],
        ["e00032", "e00028", "e00020"],
        ["e00037", "e00029", "e00025"],
      ]);
    }));

  it("reads far more connections at once than a grant can have", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, [], sorted);
      // More than SQLite accepts in one statement; PostgreSQL has no such limit.
      const many = store.engine.dialect.name === "sqlite" ? 600 : chooseRuns(60, 600);
      const ids = Array.from({ length: many }, (_, n) => `c${String(n).padStart(3, "0")}`);
      for (const id of ids) await addConnection(store, ownerNo, { connectorKey: "diary", id }, now);
      await put(store, "c000", [{ id: "x", rank: null }]);
      await put(store, ids.at(-1) ?? "", [{ id: "y", rank: 1 }]);
      const scope = await createScope(store);
      expect(await walk(store, scope, sortBy(scope, "rank", "number"), true, 1)).toEqual([`${ids.at(-1)}/y`, "c000/x"]);
    }));
}
