import type { JsonObject, StreamDeclaration } from "@pdpp/contract/declaration";
import { loadIndexedBlobText } from "../blobs/searchable-texts.ts";
import type { Column, WriteTransaction } from "../engine/engine.ts";
import { raw, sql } from "../engine/sql.ts";
import { buildSegment, type NewDocument } from "./build-segment.ts";
import { writeChunks } from "./chunks.ts";
import { tidy } from "./merging.ts";
import {
  dropSegments,
  mayHave,
  newSegment,
  noteIndexChange,
  ofShard,
  type SegmentRow,
  type Shard,
  segmentsOf,
} from "./segment-rows.ts";

/**
 * The word index of a stream: what a record says is in a segment of its connection. Every batch of records is a segment of its
 * own, and segments of about the same size are merged, a bit with each batch, so that there are never many. A record that is
 * gone is noted, and left out when its segment is merged.
 */
export interface SearchPlan {
  readonly name: string;
  readonly fields: readonly string[];
  /** Fields whose blobs are searched by their text. The index numbers them after `fields`. */
  readonly blobFields?: readonly string[];
  /** By owner: records from this version on were written when the index was there already. */
  readonly since?: Readonly<Record<number, number>>;
}

export function searchableFields(stream: StreamDeclaration): string[] {
  return stream.fields.filter((field) => field.lexical).map((field) => field.name);
}

export function blobTextFields(stream: StreamDeclaration): string[] {
  return stream.fields.filter((field) => field.blobText).map((field) => field.name);
}

/** The fields of an index by their numbers. */
export const indexedFields = ({ fields, blobFields = [] }: SearchPlan): readonly string[] => [...fields, ...blobFields];

export interface IndexedRecord {
  readonly ownerNo: number;
  readonly connectionNo: number;
  readonly doc: number;
  readonly data: JsonObject;
}

/** Adds the words of records that are not in the index yet. */
export async function addWords(on: WriteTransaction, plan: SearchPlan, added: readonly IndexedRecord[]): Promise<void> {
  for (const [key, records] of Map.groupBy(added, ({ ownerNo, connectionNo }) => `${ownerNo} ${connectionNo}`)) {
    const [ownerNo = 0, connectionNo = 0] = key.split(" ").map(Number);
    const shard = { ownerNo, connectionNo, index: plan.name };
    const ordered = records.toSorted((a, b) => a.doc - b.doc);
    for (let from = 0; from < ordered.length; ) {
      const documents = await documentsFrom(on, ownerNo, plan, ordered, from);
      from += documents.length;
      const bytes = await addSegment(on, shard, plan, documents);
      await tidy(on, shard, bytes);
    }
    await noteIndexChange(on, ownerNo);
  }
}

/** So many characters of blobs are in memory at once, and those of one more record. */
const maxBlobChars = 4_000_000;

/** The next records of a segment, with their texts. */
async function documentsFrom(
  on: WriteTransaction,
  ownerNo: number,
  { fields, blobFields = [] }: SearchPlan,
  records: readonly IndexedRecord[],
  from: number,
): Promise<NewDocument[]> {
  const documents: NewDocument[] = [];
  let chars = 0;
  for (const { doc, data } of records.slice(from)) {
    if (chars >= maxBlobChars) break;
    const texts = fields.map((field) => textOf(data, field));
    for (const field of blobFields) {
      const text = await loadIndexedBlobText(on, ownerNo, data, field);
      chars += text?.length ?? 0;
      texts.push(text);
    }
    documents.push({ doc, texts });
  }
  return documents;
}

function textOf(data: JsonObject, field: string): string | null {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === "string" ? value : null;
}

async function addSegment(
  on: WriteTransaction,
  shard: Shard,
  plan: SearchPlan,
  documents: readonly NewDocument[],
): Promise<number> {
  const [first, last] = [documents[0]?.doc ?? 0, documents.at(-1)?.doc ?? 0];
  const segmentNo = await newSegment(on, shard, { docs: documents.length, first, last, merge: null });
  const { chunks, written, lengths } = await buildSegment(segmentNo, indexedFields(plan).length, documents);
  await writeChunks(on, shard.ownerNo, chunks);
  await on.run(sql`UPDATE search_segment SET written = ${JSON.stringify(written)}, lengths = ${JSON.stringify(lengths)}
    WHERE segment_no = ${segmentNo}`);
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

const goneColumns: readonly Column[] = [
  { name: "owner_no", type: "integer" },
  { name: "index_name", type: "text" },
  { name: "connection_no", type: "integer" },
  { name: "doc", type: "integer" },
  { name: "before_segment", type: "integer" },
];

/** Records that are gone, or have another version now; they stay in the segments that are there, and are passed over. */
export async function removeWords(
  on: WriteTransaction,
  plan: SearchPlan,
  { ownerNo, connectionNo }: { readonly ownerNo: number; readonly connectionNo: number },
  docs: readonly number[],
): Promise<void> {
  const shard = { ownerNo, connectionNo, index: plan.name };
  const rows = await segmentsOf(on, shard);
  const before = Math.max(0, ...rows.map(({ segment_no }) => segment_no)) + 1;
  const noted = docs.filter((doc) => rows.some((row) => mayHave(row, doc)));
  if (noted.length === 0) return;
  await on.insert(
    "search_gone",
    goneColumns,
    noted.map((doc) => [ownerNo, plan.name, connectionNo, doc, before]),
  );
  for (const row of rows) {
    const gone = noted.filter((doc) => mayHave(row, doc)).length;
    if (gone > 0)
      await on.run(sql`UPDATE search_segment SET gone = gone + ${gone} WHERE segment_no = ${row.segment_no}`);
  }
  await noteIndexChange(on, ownerNo);
}

/** Of a connection that was removed; answers whether there were any. */
export async function removeSomeWords(
  on: WriteTransaction,
  plan: SearchPlan,
  ownerNo: number,
  connectionNo: number,
): Promise<boolean> {
  const shard = { ownerNo, connectionNo, index: plan.name };
  const [first] = await segmentsOf(on, shard);
  if (first !== undefined) await dropSegments(on, ownerNo, [first]);
  else if ((await on.run(sql`DELETE FROM search_gone WHERE ${ofShard(shard)}`)) === 0) return false;
  await noteIndexChange(on, ownerNo);
  return true;
}

/** The whole index, of all owners. */
export async function dropIndex(on: WriteTransaction, { name }: SearchPlan): Promise<void> {
  const rows = await on.all<SegmentRow & { owner_no: number }>(
    sql`SELECT * FROM search_segment WHERE index_name = ${name}`,
  );
  for (const row of rows) await dropSegments(on, row.owner_no, [row]);
  await on.run(sql`DELETE FROM search_gone WHERE index_name = ${name}`);
  await on.run(raw("UPDATE owner SET index_revision = index_revision + 1"));
}
