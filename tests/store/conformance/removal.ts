import type { JsonObject } from "@pdpp/contract/declaration";
import type { TestVault } from "@pdpp/test-support/vaults/new-vault";
import { dumpSegment } from "@pdpp/test-support/vaults/segment-dump";
import { expect, it } from "vitest";
import { removeConnection } from "#server/owner/connections";
import { pruneRecords } from "#server/owner/records";
import { putBlob } from "#server/store/blobs/blobs";
import { raw, sql } from "#server/store/engine/sql";
import { chunkChars, maxWholeRecordUnits } from "#server/store/records/long-text";
import { openChunkRangeStore } from "#server/store/search/chunk-store";
import type { SegmentRow } from "#server/store/search/segment-table";
import type { Store } from "#server/store/store";
import { findIntegrityFaults } from "../integrity.ts";
import { createDiary, createEntries, diaryFields, now, openDiary, ownerNo, put } from "../sample.ts";
import { beforeLimits, dumpEverything, type OpenVault, undoOwnerKeys, withoutChanges, withVault } from "../vault.ts";

const text = { type: "string" };
const searchable = createDiary(
  { query: { search: { lexical_fields: ["title", "body"] } } },
  { ...diaryFields, body: text, blob_ref: { type: "object" } },
);

/** Words that nothing else in a vault begins like: an index leaves out what a word shares with its neighbour. */
const canaries = {
  key: "qzkeying",
  title: "jxtitlings",
  replaced: "vqreplacings",
  body: "zjbodyings",
  long: "xklongings",
  blob: "kqblobbings",
};

const long = `${"a lengthy text ".repeat(maxWholeRecordUnits / 10)} ${canaries.long} ${"and more ".repeat(chunkChars)}`;

async function fill(store: Store, connection: string, at: number): Promise<void> {
  const { blob_id } = await putBlob(store.engine, store.blobs, ownerNo, readBytes(canaries.blob), "text/plain", at);
  const secret: JsonObject = { id: canaries.key, title: canaries.title, body: canaries.body, blob_ref: { blob_id } };
  await put(store, connection, [{ id: canaries.key, title: canaries.replaced }], at);
  await put(store, connection, [secret, { id: `${canaries.key}-long`, body: long }], at);
}

async function* readBytes(words: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(words);
}

/** Enough records that the word index has been merged, and pages have been split and freed. */
const others = createEntries(3000, (n) => ({
  title: `walking dogs ${n}`,
  body: `${n} sheep were counted on day${n % 40}`,
}));

const findRecords = (held: string): string[] =>
  Object.entries(canaries).flatMap(([what, word]) => (held.toLowerCase().includes(word.slice(2)) ? [what] : []));

/** Every term in any dictionary, including those of unfinished merges. */
const listForms = (store: Store) =>
  store.engine.read(async (on) => {
    const terms = new Set<string>();
    const rows = await on.all<SegmentRow & { owner_no: number }>(raw("SELECT * FROM search_segment"));
    for (const { segment_no, owner_no, first_doc, written, merge } of rows) {
      const size = merge === null ? JSON.parse(written) : JSON.parse(merge).written;
      const dump = await dumpSegment(openChunkRangeStore(on, owner_no), {
        segmentNo: segment_no,
        firstDoc: first_doc,
        size,
      });
      for (const term of dump.terms) terms.add(term);
    }
    return [...terms].sort();
  });

/** Dumps the vault until no record is left in it: a reader may hold back an old state for a moment. */
const expectNoRecords = async (vault: TestVault) => {
  await vault.store.log.flush();
  await expect.poll(async () => findRecords(await dumpEverything(vault))).toEqual([]);
};

export function testRemoval(open: OpenVault): void {
  it("[KEEP-1] leaves nothing of a removed connection in any table or file", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await openDiary(store, ["home", "away"], searchable);
      await put(store, "away", others);
      await fill(store, "home", now);
      expect(findRecords(await dumpEverything(vault))).toEqual(Object.keys(canaries));
      await removeConnection(store, ownerNo, "home", now + 7_200_000);
      await expectNoRecords(vault);
      expect(findRecords((await listForms(store)).join(" "))).toEqual([]);
      expect(await listForms(store)).toContain("walking");
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("[KEEP-1] leaves nothing of deleted and replaced records once they are pruned, their keys included", () =>
    withVault(open, async (vault) => {
      const { store } = vault;
      await openDiary(store, ["home"], searchable);
      await put(store, "home", others.slice(0, 1500));
      await fill(store, "home", now);
      await put(store, "home", others.slice(1500));
      await put(store, "home", [{ gone: canaries.key }, { gone: `${canaries.key}-long` }], now + 1000);
      await pruneRecords(store, ownerNo, now + 2000);
      await expectNoRecords(vault);
      expect(findRecords((await listForms(store)).join(" "))).toEqual([]);
      expect(await listForms(store)).toContain("walking");
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("[KEEP-1] counts no version of a record twice, even when the earlier ones are forgotten", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home"], searchable);
      await put(store, "home", [{ id: "a", title: "one" }]);
      await put(store, "home", [{ gone: "a" }], now + 1000);
      await pruneRecords(store, ownerNo, now + 2000);
      await put(store, "home", [{ id: "a", title: "another" }], now + 3000);
      const row = await store.engine.read((on) =>
        on.one<{ revision: number }>(sql`SELECT revision FROM r_1 WHERE key = 'a'`),
      );
      expect(row?.revision).toBeGreaterThan(2);
      expect(await findIntegrityFaults(store)).toEqual([]);
    }));

  it("[KEEP-1] keeps the words that other records still hold", () =>
    withVault(open, async ({ store }) => {
      await openDiary(store, ["home", "away"], searchable);
      await put(store, "home", [{ id: "a", title: "wanderings and whistlings" }]);
      await put(store, "away", [{ id: "a", title: "wanderings" }]);
      await removeConnection(store, ownerNo, "home", now);
      expect(await listForms(store)).toEqual(["wanderings"]);
    }));

  it("[KEEP-1] clears a vault that was written before words had an owner", () =>
    withVault(open, async (vault) => {
      await openDiary(vault.store, ["home", "away"], searchable);
      await put(vault.store, "home", [{ id: "a", title: "wanderings and whistlings" }]);
      await vault.store.engine.write(async (on) => {
        for (const statement of [...undoOwnerKeys(on.dialect.name), ...backToTheFirstSchema])
          await on.run(raw(statement));
      });
      await vault.reopen();
      await vault.store.reindex();
      expect(await listForms(vault.store)).toEqual(["and", "wanderings", "whistlings"]);
      await put(vault.store, "home", [{ id: "a", title: "wanderings" }], now + 1000);
      await pruneRecords(vault.store, ownerNo, now + 2000);
      expect(await listForms(vault.store)).toEqual(["wanderings"]);
    }));
}

/** As the first version of a vault was: without the word index of today, and with the tables of the old one. */
const backToTheFirstSchema = [
  ...withoutChanges,
  "DROP TABLE search_segment",
  "DROP TABLE search_gone",
  "DROP TABLE search_chunk",
  "ALTER TABLE owner DROP COLUMN index_revision",
  "CREATE TABLE s_1_1 (doc INTEGER)",
  "CREATE TABLE search_form (stem TEXT NOT NULL, form TEXT NOT NULL, PRIMARY KEY (stem, form))",
  "ALTER TABLE stream DROP COLUMN words_removed",
  "ALTER TABLE stream DROP COLUMN is_built",
  "ALTER TABLE stream_stats DROP COLUMN revision_floor",
  ...beforeLimits,
  "UPDATE meta SET value = '1' WHERE name = 'schema_version'",
];
