import type { JsonObject } from "@pdpp/contract/declaration";
import { parseQuery } from "@pdpp/language/query/query";
import { chooseRuns } from "@pdpp/test-support/vitest/long-runs";
import fc from "fast-check";
import { expect, it } from "vitest";
import { loadOwnerScope } from "#server/auth/authenticate";
import { addConnection, removeConnection } from "#server/owner/connections";
import { createReader } from "#server/read/reader";
import { reindexStep } from "#server/store/catalog/reindex";
import type { ReadTransaction } from "#server/store/engine/engine";
import { raw } from "#server/store/engine/sql";
import { loadHorizon } from "#server/store/records/changes";
import { rankRecords } from "#server/store/search/rank-records";
import { sweepWords } from "#server/store/search/search-sweep";
import { openStore, type Store } from "#server/store/store";
import { findIntegrityFaults } from "../integrity.ts";
import {
  createDiary,
  createEntries,
  createScope,
  diaryFields,
  type Line,
  now,
  openDiary,
  ownerNo,
  put,
} from "../sample.ts";
import { beforeLimits, getLocation, type OpenVault, undoOwnerKeys, withoutChanges, withVault } from "../vault.ts";
import { startWriter } from "./concurrency.ts";

/** The word index over any sequence of writes, manifests and sweeps. */

const text = { type: ["string", "null"] };
const searchFor = (...fields: string[]) =>
  createDiary(fields.length === 0 ? {} : { query: { search: { lexical_fields: fields } } }, {
    ...diaryFields,
    body: text,
  });

async function findKeys(store: Store, q: string): Promise<string[]> {
  const reader = createReader({ store, scope: await loadOwnerScope(store, ownerNo) });
  const { data } = await reader.search({ q, limit: 100 });
  return data.map(({ connection_id, record_key }) => `${connection_id}/${record_key}`).sort();
}

const count = async (store: Store, table: string): Promise<number> =>
  (await store.engine.read((on) => on.all(raw(`SELECT 1 FROM ${table}`)))).length;

/** The documents that contain a word, as found by a reader with the snapshot `on`. */
async function findDocs(store: Store, on: ReadTransaction, q: string): Promise<number[]> {
  const scope = await createScope(store);
  const { current, indexRevision } = await loadHorizon(on, ownerNo);
  const streams = [{ scope, conditions: [] }];
  const search = { on, words: store.words, streams, query: parseQuery(q), maxDoc: current };
  const ranking = await rankRecords({ ...search, revision: indexRevision, throwIfStopped: () => undefined }, "heavy");
  return (ranking?.ranked ?? []).flatMap(({ docs, matchCounts }) => docs.filter((_, n) => matchCounts[n] !== 0)).sort();
}

/** With at most eight segments per size class, and each class eight times the previous, there are never more. */
const countMostSegments = (records: number): number => 8 * (2 + Math.ceil(Math.log2(records + 2) / 3)) + 8;

const vocabulary = [
  "boiler",
  "boilers",
  "haftpflichtversicherung",
  "versicherung",
  "東京",
  "𝒳𝒴",
  "naïve",
  "it's",
  "10km",
  "a",
];
const said = fc.array(fc.constantFrom(...vocabulary), { maxLength: 12 }).map((words) => words.join(" "));
const record = fc.record({ id: fc.nat(30), title: fc.option(said), body: fc.option(said) });

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ put: fc.array(record, { minLength: 1, maxLength: 6 }), to: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ gone: fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }), to: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ fields: fc.subarray(["title", "body"]), steps: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant({ again: true }) },
  { weight: 1, arbitrary: fc.constant({ sweep: true }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

export function testSearch(open: OpenVault): void {
  it("[SRCH-1] finds exactly the stored records after any sequence of writes, removals, manifests and sweeps, on every handle", () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), (steps) =>
        withVault(open, async (vault) => {
          const other = await openStore(getLocation(vault));
          try {
            const homes = ["h0", "h1", "h2"];
            let removed = 0;
            await openDiary(vault.store, homes, searchFor("title", "body"));
            const apply = async (each: Step): Promise<void> => {
              const { store } = vault;
              if ("put" in each) {
                const lines = [...new Map(each.put.map((data) => [data.id, { ...data, id: `e${data.id}` }])).values()];
                await put(store, homes[each.to]!, lines);
              } else if ("gone" in each) {
                await put(
                  store,
                  homes[each.to]!,
                  [...new Set(each.gone)].map((id): Line => ({ gone: `e${id}` })),
                );
              } else if ("remove" in each) {
                await removeConnection(store, ownerNo, homes[each.remove]!, now);
                removed += 1;
                homes[each.remove] = `h${2 + removed}`;
                await addConnection(store, ownerNo, { connectorKey: "diary", id: homes[each.remove]! }, now);
              } else if ("fields" in each) {
                await store.register(searchFor(...each.fields), now);
                for (let n = 0; n < each.steps; n += 1) await reindexStep(store.engine, "diary");
              } else if ("sweep" in each) await store.sweep();
              else await vault.reopen();
            };
            for (const each of steps) {
              await apply(each);
              for (const q of vocabulary.slice(0, 2)) await findKeys(other, q);
            }
            await vault.store.reindex();
            expect(await findIntegrityFaults(vault.store)).toEqual([]);
            for (const q of vocabulary) expect(await findKeys(other, q), q).toEqual(await findKeys(vault.store, q));
            expect(await count(vault.store, "search_segment")).toBeLessThanOrEqual(3 * countMostSegments(90));
            await vault.store.sweep();
            expect(await count(vault.store, "search_gone")).toBe(0);
            expect(await findIntegrityFaults(vault.store)).toEqual([]);
            for (const q of vocabulary) expect(await findKeys(other, q), q).toEqual(await findKeys(vault.store, q));
          } finally {
            await other.close();
          }
        }),
      ),
      { numRuns: chooseRuns(2, 40) },
    ));

  it("[SRCH-1] indexes each record once when a manifest is registered again while its index is being filled", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], searchFor("title"));
      await put(
        store,
        "home",
        createEntries(1200, (n) => ({ title: `title${n}`, body: "boiler" })),
      );
      await store.register(searchFor("title", "body"), now);
      await reindexStep(store.engine, "diary");
      await put(store, "home", [{ id: "e00001", title: "new", body: "boiler boiler" }]);
      await store.register(searchFor("title", "body"), now);
      await reindexStep(store.engine, "diary");
      await put(store, "home", [{ id: "e00002", title: "new", body: "boiler boiler" }]);
      await store.reindex();
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("[SRCH-1] keeps the number of segments low during a large merge", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], searchFor("title"));
      const words = (n: number) =>
        Array.from({ length: chooseRuns(80, 250) }, (_, i) => `w${(n * 7919 + i * 104729) % 40_009}`).join(" ");
      // The last of eight equal segments is small, so its bytes pay for little of the merge.
      for (let batch = 0; batch < 8; batch += 1) {
        const titles = (n: number) => (batch < 7 ? words(n + 400 * batch) : "short");
        await put(
          store,
          "home",
          createEntries(400, (n) => ({ id: `b${batch}.${n}`, title: titles(n) })),
        );
      }
      let most = 0;
      for (let n = 0; n < 120; n += 1) {
        await put(store, "home", [{ id: `single${n}`, title: "single" }]);
        most = Math.max(most, await count(store, "search_segment"));
      }
      expect(most).toBeLessThanOrEqual(24);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("[SRCH-1] shows a reader its snapshot while segments are merged and others read the newest state", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home", "later"], searchFor("title"));
      await put(
        store,
        "home",
        createEntries(20, (n) => ({ title: `boiler ${n}` })),
      );
      await put(store, "home", [{ gone: "e00003" }, { id: "e00004", title: "chimney" }]);
      for (const weight of ["light", "heavy"] as const) {
        await store.engine.read(async (on) => {
          const before = await findDocs(store, on, "boiler");
          for (let n = 0; n < 12; n += 1) {
            await put(store, "home", [{ id: `${weight}${n}`, title: "boiler" }, { gone: `e000${10 + (n % 6)}` }]);
            await put(store, "later", [{ id: `${weight}${n}`, title: "boiler" }]);
            await put(store, "later", [{ id: `${weight}${n}`, title: "chimney" }]);
            // Another reader sees the newest state, and fills the caches with it.
            await store.engine.read((newest) => findDocs(store, newest, "boiler"));
            expect(await findDocs(store, on, "boiler")).toEqual(before);
            const live = await store.engine.read((newest) =>
              newest.all<{ version: number }>(
                raw("SELECT version FROM r_1 WHERE data LIKE '%boiler%' ORDER BY version"),
              ),
            );
            const found = await store.engine.read((newest) => findDocs(store, newest, "boiler"));
            expect(found).toEqual(live.map(({ version }) => version).sort());
          }
          await sweepWords(store.engine);
          expect(await findDocs(store, on, "boiler")).toEqual(before);
        }, weight);
      }
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("[SRCH-1] migrates a vault of the third schema with a pending manifest", () =>
    withVault(open, async (vault) => {
      const quiet = (...fields: string[]): JsonObject => ({
        name: "quiet",
        semantics: "mutable_state",
        primary_key: ["id"],
        schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, body: text } },
        ...(fields.length === 0 ? {} : { query: { search: { lexical_fields: fields } } }),
      });
      const both = (entriesFields: string[], quietFields: string[]) =>
        createDiary({ query: { search: { lexical_fields: entriesFields } } }, { ...diaryFields, body: text }, [
          quiet(...quietFields),
        ]);
      await openDiary(vault.store, ["home"], both(["title"], []));
      for (const stream of ["entries", "quiet"])
        await put(
          vault.store,
          "home",
          createEntries(600, () => ({ body: "chimney" })),
          now,
          stream,
        );
      await vault.store.register(both(["title", "body"], ["body"]), now);
      // Some records of both streams are filled; the last step of the second stream is left.
      for (let n = 0; n < 4; n += 1) await reindexStep(vault.store.engine, "diary");
      await vault.store.engine.write(async (on) => {
        for (const statement of [...undoOwnerKeys(on.dialect.name), ...backToTheThirdSchema])
          await on.run(raw(statement));
      });
      await vault.reopen();
      await put(vault.store, "home", [{ id: "late", body: "chimney" }], now, "quiet");
      await vault.store.reindex();
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
      const reader = createReader({ store: vault.store, scope: await loadOwnerScope(vault.store, ownerNo) });
      const found = async (stream: string) => (await reader.search({ q: "chimney", streams: [stream] })).meta.count;
      expect([await found("entries"), await found("quiet")]).toEqual([600, 601]);
    }));

  it("[SRCH-1] indexes the words of concurrent processes", () =>
    withVault(open, async (vault) => {
      await openDiary(vault.store, ["home"], searchFor("title"));
      const task = { location: getLocation(vault), connectionId: "home", batches: 30, size: 5 };
      const writers = ["a", "b"].map((prefix) => startWriter({ ...task, prefix }));
      await Promise.all(writers.map(({ ready }) => ready));
      for (let n = 0; n < 10; n += 1) {
        await findKeys(vault.store, "7");
        await put(vault.store, "home", [{ id: "mine", title: `7 ${n}` }]);
      }
      await Promise.all(writers.map(({ done }) => done));
      expect(await findIntegrityFaults(vault.store)).toEqual([]);
      expect(await findKeys(vault.store, "7")).toHaveLength(11);
    }));
}

/** Without today's word index, and with an old word table. */
const backToTheThirdSchema = [
  ...withoutChanges,
  "ALTER TABLE r_2 DROP COLUMN changes",
  "DROP INDEX r_2_doc",
  "ALTER TABLE r_2 DROP COLUMN doc",
  "DROP TABLE search_segment",
  "DROP TABLE search_gone",
  "DROP TABLE search_chunk",
  "ALTER TABLE owner DROP COLUMN index_revision",
  "CREATE TABLE s_1_1 (doc INTEGER)",
  "CREATE TABLE search_form (owner_no INTEGER, stem TEXT, form TEXT, stream_no INTEGER)",
  ...beforeLimits,
  "UPDATE meta SET value = '3' WHERE name = 'schema_version'",
];
