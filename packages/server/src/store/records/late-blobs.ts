import { extractTexts } from "../blobs/searchable-texts.ts";
import type { CatalogStream } from "../catalog/catalog.ts";
import { tableName } from "../catalog/layout.ts";
import { lockOwner } from "../catalog/lock-owner.ts";
import type { ReadTransaction } from "../engine/engine.ts";
import { parseJsonObject } from "../engine/json.ts";
import { raw, sql } from "../engine/sql.ts";
import { addWords, removeWords } from "../search/indexing.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import type { Store } from "../store.ts";
import { getDocId } from "./update-words.ts";

/** A record may arrive before the blob it refers to. When the blob arrives, its text is indexed. */

interface BlobUse {
  stream_no: number;
  connection_no: number;
  key: string;
}

/** Per blob. */
const maxUses = 1000;

export async function reindexLateBlob(store: Store, ownerNo: number, blobId: string): Promise<void> {
  const uses = await store.engine.read((on) =>
    on.all<BlobUse>(sql`SELECT DISTINCT stream_no, connection_no, key FROM blob_use
      WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} LIMIT ${maxUses}`),
  );
  if (uses.length === 0) return;
  const streams = [...(await store.catalog()).connectors.values()].flatMap((each) => [...each.streams.values()]);
  for (const use of uses) {
    const stream = streams.find(({ streamNo }) => streamNo === use.stream_no);
    if (stream?.searchPlans.some(({ blobFields = [] }) => blobFields.length > 0))
      await reindexRecord(store, ownerNo, stream, use);
  }
}

async function reindexRecord(
  { engine, blobTexts }: Store,
  ownerNo: number,
  stream: CatalogStream,
  use: BlobUse,
): Promise<void> {
  const fields = stream.searchPlans.flatMap(({ blobFields = [] }) => blobFields);
  const before = await engine.read((on) => loadRecord(on, ownerNo, use));
  if (before !== undefined) await extractTexts(engine, blobTexts, ownerNo, fields, [parseJsonObject(before.data)]);
  await engine.write(async (on) => {
    await lockOwner(on, ownerNo);
    const record = await loadRecord(on, ownerNo, use);
    if (record === undefined) return;
    const place = { ownerNo, connectionNo: use.connection_no };
    // A pending index gets the record, with its texts, when it is filled.
    const plan = stream.activeSearchPlan;
    if (plan === null) return;
    await noteWordsRemoved(on, stream.streamNo);
    await removeWords(on, plan, place, [getDocId(record)]);
    await addWords(on, plan, [{ ...place, doc: getDocId(record), data: parseJsonObject(record.data) }]);
  });
}

const loadRecord = (on: ReadTransaction, ownerNo: number, use: BlobUse) =>
  on.one<{ version: number; doc: number | null; data: string }>(
    sql`SELECT version, doc, data FROM ${raw(tableName(use.stream_no))}
      WHERE owner_no = ${ownerNo} AND connection_no = ${use.connection_no} AND key = ${use.key}`,
  );
