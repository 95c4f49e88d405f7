import { emptySize } from "@pdpp/word-index/segment/layout";
import type { MergeState } from "@pdpp/word-index/writer/merge-segments";
import { defineColumns, type ReadTransaction, requireRow, type WriteTransaction } from "../engine/engine.ts";
import { raw, type Sql, sql } from "../engine/sql.ts";
import { deleteChunks } from "./chunk-store.ts";

/** The tables of segments (`search_segment`) and tombstones (`search_gone`). */

/** The segments of one connection in one index. */
export interface Shard {
  readonly ownerNo: number;
  readonly index: string;
  readonly connectionNo: number;
}

export interface SegmentRow {
  readonly segment_no: number;
  readonly index_name: string;
  readonly connection_no: number;
  readonly docs: number;
  readonly gone: number;
  readonly first_doc: number;
  readonly last_doc: number;
  /** JSON: for each field, the number of words in all documents together. */
  readonly lengths: string;
  /** JSON: a `SegmentSize`. */
  readonly written: string;
  /** JSON: the `MergeState` of the merge that is writing this segment. The segment cannot be read before it is null. */
  readonly merge: string | null;
}

export const inShard = ({ ownerNo, index, connectionNo }: Shard): Sql =>
  sql`owner_no = ${ownerNo} AND index_name = ${index} AND connection_no = ${connectionNo}`;

export const isSegment = (ownerNo: number, segmentNo: number): Sql =>
  sql`owner_no = ${ownerNo} AND segment_no = ${segmentNo}`;

/** Makes readers load the owner's segments again. */
export const bumpIndexRevision = (on: WriteTransaction, ownerNo: number) =>
  on.run(sql`UPDATE owner SET index_revision = index_revision + 1 WHERE owner_no = ${ownerNo}`);

export async function insertSegment(
  on: WriteTransaction,
  { ownerNo, index, connectionNo }: Shard,
  { docs, first, last, merge }: { docs: number; first: number; last: number; merge: MergeState | null },
): Promise<SegmentRow> {
  return requireRow<SegmentRow>(
    on,
    sql`INSERT INTO search_segment (owner_no, index_name, connection_no, docs, gone, first_doc, last_doc, lengths, written, merge)
      VALUES (${ownerNo}, ${index}, ${connectionNo}, ${docs}, 0, ${first}, ${last}, '[]', ${JSON.stringify(emptySize)},
        ${merge === null ? null : JSON.stringify(merge)}) RETURNING *`,
  );
}

export const loadShardSegments = (on: ReadTransaction, shard: Shard): Promise<SegmentRow[]> =>
  on.all<SegmentRow>(sql`SELECT * FROM search_segment WHERE ${inShard(shard)} ORDER BY segment_no`);

export async function deleteSegments(
  on: WriteTransaction,
  ownerNo: number,
  rows: readonly SegmentRow[],
): Promise<void> {
  for (const { segment_no } of rows) {
    await deleteChunks(on, ownerNo, segment_no);
    await on.run(sql`DELETE FROM search_segment WHERE ${isSegment(ownerNo, segment_no)}`);
  }
}

export const canContain = ({ first_doc, last_doc }: SegmentRow, doc: number): boolean =>
  first_doc <= doc && doc <= last_doc;

/** Deleted documents, as far as they are in segments written before. */
export interface Tombstones {
  readonly before_segment: number;
  readonly docs: readonly number[];
}

export function listTombstonesIn(row: SegmentRow, tombstones: readonly Tombstones[]): Set<number> {
  const found = new Set<number>();
  for (const { before_segment, docs } of tombstones)
    if (row.segment_no < before_segment) for (const doc of docs) if (canContain(row, doc)) found.add(doc);
  return found;
}

/** Aggregated by the database, because hundreds of thousands of rows are slow to load. */
export async function loadTombstones(on: ReadTransaction, shard: Shard): Promise<Tombstones[]> {
  const rows = await on.all<{ before_segment: number; docs: string }>(
    sql`SELECT before_segment, string_agg(CAST(doc AS TEXT), ',') AS docs FROM search_gone WHERE ${inShard(shard)}
      GROUP BY before_segment`,
  );
  return rows.map(({ before_segment, docs }) => ({ before_segment, docs: docs.split(",").map(Number) }));
}

const tombstoneColumns = defineColumns(
  "owner_no integer, index_name text, connection_no integer, doc integer, before_segment integer",
);

export async function insertTombstones(
  on: WriteTransaction,
  { ownerNo, index, connectionNo }: Shard,
  rows: readonly SegmentRow[],
  docs: readonly number[],
): Promise<void> {
  const before = Math.max(0, ...rows.map(({ segment_no }) => segment_no)) + 1;
  await on.insert(
    "search_gone",
    tombstoneColumns,
    docs.map((doc) => [ownerNo, index, connectionNo, doc, before]),
  );
  for (const row of rows) {
    const count = docs.filter((doc) => canContain(row, doc)).length;
    if (count > 0)
      await on.run(sql`UPDATE search_segment SET gone = gone + ${count} WHERE ${isSegment(ownerNo, row.segment_no)}`);
  }
}

const concernsSegment = raw(`s.owner_no = search_gone.owner_no AND s.index_name = search_gone.index_name
  AND s.connection_no = search_gone.connection_no AND s.segment_no < search_gone.before_segment
  AND search_gone.doc BETWEEN s.first_doc AND s.last_doc`);

export const loadSegmentsWithTombstones = (on: ReadTransaction, shard: Shard): Promise<SegmentRow[]> =>
  on.all<SegmentRow>(sql`SELECT * FROM search_segment AS s WHERE ${inShard(shard)}
    AND EXISTS (SELECT 1 FROM search_gone WHERE ${concernsSegment}) ORDER BY segment_no`);

/** Deletes tombstones of documents that no segment can contain any more. */
export const deleteSpentTombstones = (on: WriteTransaction, shard: Shard) =>
  on.run(sql`DELETE FROM search_gone WHERE ${inShard(shard)}
    AND NOT EXISTS (SELECT 1 FROM search_segment AS s WHERE ${concernsSegment})`);
