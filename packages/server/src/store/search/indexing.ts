import type { JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { buildSegment, type NewDocument } from "@pdpp/word-index/writer/build-segment";
import { loadIndexedBlobText } from "../blobs/searchable-texts.ts";
import type { WriteTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { yieldToEventLoop } from "../engine/yield-to-event-loop.ts";
import { writeChunks } from "./chunk-store.ts";
import { mergeAfterWrite } from "./merging.ts";
import {
  bumpIndexRevision,
  canContain,
  deleteSegments,
  inShard,
  insertSegment,
  insertTombstones,
  isSegment,
  loadShardSegments,
  type SegmentRow,
  type Shard,
} from "./segment-table.ts";

/**
 * The word index of a stream. Every batch of records becomes a segment of its connection. Segments of about the same size are
 * merged, a little with every batch. Deleting a record writes a tombstone, and the next merge of its segment drops it.
 */
export interface SearchPlan {
  readonly name: string;
  readonly fields: readonly string[];
  /** Blob fields whose text is indexed. They are numbered after `fields`. */
  readonly blobFields?: readonly string[];
  /** By owner: the first version that was written after the index was created. */
  readonly since?: Readonly<Record<number, number>>;
}

export function listSearchableFields(stream: StreamDeclaration): string[] {
  return stream.fields.filter((field) => field.lexical).map((field) => field.name);
}

export function listBlobTextFields(stream: StreamDeclaration): string[] {
  return stream.fields.filter((field) => field.blobText).map((field) => field.name);
}

export const listIndexedFields = ({ fields, blobFields = [] }: SearchPlan): readonly string[] => [
  ...fields,
  ...blobFields,
];

export interface IndexedRecord {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly doc: number;
  readonly data: JsonObject;
}

export async function addWords(on: WriteTransaction, plan: SearchPlan, added: readonly IndexedRecord[]): Promise<void> {
  for (const records of Map.groupBy(added, (record) => `${record.ownerNo} ${record.connectionNo}`).values()) {
    const [first] = records;
    if (first === undefined) continue;
    const { ownerNo, connectionNo } = first;
    const shard = { ownerNo, connectionNo, index: plan.name };
    const ordered = records.toSorted((a, b) => a.doc - b.doc);
    for (let from = 0; from < ordered.length; ) {
      const documents = await loadDocuments(on, ownerNo, plan, ordered.slice(from));
      from += documents.length;
      await mergeAfterWrite(on, shard, await addSegment(on, shard, plan, documents));
    }
    await bumpIndexRevision(on, ownerNo);
  }
}

/** A segment is closed after the record that exceeds this, because the texts of its blobs are all in memory. */
const maxBlobChars = 4_000_000;

async function loadDocuments(
  on: WriteTransaction,
  ownerNo: number,
  { fields, blobFields = [] }: SearchPlan,
  records: readonly IndexedRecord[],
): Promise<NewDocument[]> {
  const documents: NewDocument[] = [];
  let blobChars = 0;
  for (const { doc, data } of records) {
    if (blobChars >= maxBlobChars) break;
    const texts = fields.map((field) => getText(data, field));
    for (const field of blobFields) {
      const text = await loadIndexedBlobText(on, ownerNo, data, field);
      blobChars += text?.length ?? 0;
      texts.push(text);
    }
    documents.push({ doc, texts });
  }
  return documents;
}

function getText(data: JsonObject, field: string): string | null {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === "string" ? value : null;
}

/** Returns the number of bytes written. */
async function addSegment(
  on: WriteTransaction,
  shard: Shard,
  plan: SearchPlan,
  documents: readonly NewDocument[],
): Promise<number> {
  const [first, last] = [documents[0]?.doc ?? 0, documents.at(-1)?.doc ?? 0];
  const { segment_no } = await insertSegment(on, shard, { docs: documents.length, first, last, merge: null });
  const built = await buildSegment(segment_no, listIndexedFields(plan).length, documents, yieldToEventLoop);
  await writeChunks(on, shard.ownerNo, built.chunks);
  await on.run(sql`UPDATE search_segment SET written = ${JSON.stringify(built.size)},
    lengths = ${JSON.stringify(built.fieldLengths)} WHERE ${isSegment(shard.ownerNo, segment_no)}`);
  return built.chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

export async function removeWords(
  on: WriteTransaction,
  plan: SearchPlan,
  { ownerNo, connectionNo }: { readonly ownerNo: number; readonly connectionNo: number },
  docs: readonly number[],
): Promise<void> {
  const shard = { ownerNo, connectionNo, index: plan.name };
  const rows = await loadShardSegments(on, shard);
  const indexed = docs.filter((doc) => rows.some((row) => canContain(row, doc)));
  if (indexed.length === 0) return;
  await insertTombstones(on, shard, rows, indexed);
  await bumpIndexRevision(on, ownerNo);
}

/** Removes some segments of a removed connection. Returns whether there were any. */
export async function removeSomeWords(
  on: WriteTransaction,
  plan: SearchPlan,
  ownerNo: number,
  connectionNo: number,
): Promise<boolean> {
  const shard = { ownerNo, connectionNo, index: plan.name };
  const [first] = await loadShardSegments(on, shard);
  if (first !== undefined) await deleteSegments(on, ownerNo, [first]);
  else if ((await on.run(sql`DELETE FROM search_gone WHERE ${inShard(shard)}`)) === 0) return false;
  await bumpIndexRevision(on, ownerNo);
  return true;
}

export async function dropIndex(on: WriteTransaction, { name }: SearchPlan): Promise<void> {
  const rows = await on.all<SegmentRow & { readonly owner_no: number }>(
    sql`SELECT * FROM search_segment WHERE index_name = ${name}`,
  );
  for (const row of rows) await deleteSegments(on, row.owner_no, [row]);
  await on.run(sql`DELETE FROM search_gone WHERE index_name = ${name}`);
  await on.run(raw("UPDATE owner SET index_revision = index_revision + 1"));
}
