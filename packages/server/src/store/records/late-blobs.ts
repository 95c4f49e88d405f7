import { extractTexts } from "../blobs/searched-texts.ts";
import type { CatalogStream } from "../catalog/catalog.ts";
import { holdOwner } from "../catalog/hold-owner.ts";
import { tableName } from "../catalog/layout.ts";
import type { Reading } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { noteWordsRemoved } from "../search/search-sweep.ts";
import { addWords, removeWords } from "../search/word-index.ts";
import type { Store } from "../store.ts";
import { docOf } from "./follow-words.ts";

/** A record may come before the blob that it refers to. When the blob comes, its text is put into the word index. */

interface BlobUse {
  stream_no: number;
  connection_no: number;
  key: string;
}

/** So many records are looked up for one blob. */
const maxUses = 1000;

export async function indexLateBlob(store: Store, ownerNo: number, blobId: string): Promise<void> {
  const uses = await store.engine.read((on) =>
    on.all<BlobUse>(sql`SELECT DISTINCT stream_no, connection_no, key FROM blob_use
      WHERE owner_no = ${ownerNo} AND blob_id = ${blobId} LIMIT ${maxUses}`),
  );
  if (uses.length === 0) return;
  const streams = [...(await store.catalog()).connectors.values()].flatMap((each) => [...each.streams.values()]);
  for (const use of uses) {
    const stream = streams.find(({ streamNo }) => streamNo === use.stream_no);
    if (stream?.indexed.some(({ blobFields = [] }) => blobFields.length > 0))
      await indexAgain(store, ownerNo, stream, use);
  }
}

async function indexAgain(
  { engine, blobTexts }: Store,
  ownerNo: number,
  stream: CatalogStream,
  use: BlobUse,
): Promise<void> {
  const fields = stream.indexed.flatMap(({ blobFields = [] }) => blobFields);
  const before = await engine.read((on) => recordUsing(on, ownerNo, use));
  if (before !== undefined) await extractTexts(engine, blobTexts, ownerNo, fields, [JSON.parse(before.data)]);
  await engine.write(async (on) => {
    await holdOwner(on, ownerNo);
    const record = await recordUsing(on, ownerNo, use);
    if (record === undefined) return;
    const place = { ownerNo, connectionNo: use.connection_no };
    // An index that is still being filled gets the record, with its texts, when its turn comes.
    const plan = stream.search;
    if (plan === null) return;
    await noteWordsRemoved(on, stream.streamNo);
    await removeWords(on, plan, place, [docOf(record)]);
    await addWords(on, plan, [{ ...place, doc: docOf(record), data: JSON.parse(record.data) }]);
  });
}

const recordUsing = (on: Reading, ownerNo: number, use: BlobUse) =>
  on.one<{ version: number; doc: number | null; data: string }>(
    sql`SELECT version, doc, data FROM ${raw(tableName(use.stream_no))}
      WHERE owner_no = ${ownerNo} AND connection_no = ${use.connection_no} AND key = ${use.key}`,
  );
