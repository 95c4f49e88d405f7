import { type ReadTransaction, requireRow, type WriteTransaction } from "../engine/engine.ts";
import { raw, type Sql, sql } from "../engine/sql.ts";
import { dropChunks } from "./chunks.ts";
import type { MergeState } from "./merge-segments.ts";
import { nothingWritten } from "./segment.ts";

/** The table of segments, and the notes of records that are gone from them. */

/** The segments of one connection in one index. */
export interface Shard {
  readonly ownerNo: number;
  readonly index: string;
  readonly connectionNo: number;
}

export interface SegmentRow {
  segment_no: number;
  index_name: string;
  connection_no: number;
  docs: number;
  /** How many of them are gone. */
  gone: number;
  first_doc: number;
  last_doc: number;
  /** Of each field, how many words all records have together. */
  lengths: string;
  written: string;
  /** How far its merge has come, while it is being written; it cannot be read yet. */
  merge: string | null;
}

export const ofShard = ({ ownerNo, index, connectionNo }: Shard): Sql =>
  sql`owner_no = ${ownerNo} AND index_name = ${index} AND connection_no = ${connectionNo}`;

/** Readers keep what they know of an owner's segments until this number changes. */
export const noteIndexChange = (on: WriteTransaction, ownerNo: number) =>
  on.run(sql`UPDATE owner SET index_revision = index_revision + 1 WHERE owner_no = ${ownerNo}`);

export async function newSegment(
  on: WriteTransaction,
  { ownerNo, index, connectionNo }: Shard,
  { docs, first, last, merge }: { docs: number; first: number; last: number; merge: MergeState | null },
): Promise<number> {
  const row = await requireRow<{ segment_no: number }>(
    on,
    sql`INSERT INTO search_segment (owner_no, index_name, connection_no, docs, gone, first_doc, last_doc, lengths, written, merge)
      VALUES (${ownerNo}, ${index}, ${connectionNo}, ${docs}, 0, ${first}, ${last}, '[]', ${JSON.stringify(nothingWritten)},
        ${merge === null ? null : JSON.stringify(merge)}) RETURNING segment_no`,
  );
  return row.segment_no;
}

export const segmentsOf = (on: ReadTransaction, shard: Shard): Promise<SegmentRow[]> =>
  on.all<SegmentRow>(sql`SELECT * FROM search_segment WHERE ${ofShard(shard)} ORDER BY segment_no`);

export async function dropSegments(on: WriteTransaction, ownerNo: number, rows: readonly SegmentRow[]): Promise<void> {
  for (const { segment_no } of rows) {
    await dropChunks(on, ownerNo, segment_no);
    await on.run(sql`DELETE FROM search_segment WHERE segment_no = ${segment_no}`);
  }
}

export const mayHave = ({ first_doc, last_doc }: SegmentRow, doc: number): boolean =>
  first_doc <= doc && doc <= last_doc;

/** The records that each segment may still have and that are gone. Hundreds of thousands of them come as a few long texts. */
export async function goneFrom(on: ReadTransaction, shard: Shard): Promise<(row: SegmentRow) => ReadonlySet<number>> {
  const removals = await on.all<{ before_segment: number; docs: string }>(
    sql`SELECT before_segment, string_agg(CAST(doc AS TEXT), ',') AS docs FROM search_gone WHERE ${ofShard(shard)}
      GROUP BY before_segment`,
  );
  const marks = removals.map((removal) => ({
    before: removal.before_segment,
    docs: removal.docs.split(",").map(Number),
  }));
  return (row) => {
    const gone = new Set<number>();
    for (const { before, docs } of marks)
      if (row.segment_no < before) for (const doc of docs) if (mayHave(row, doc)) gone.add(doc);
    return gone;
  };
}

const isOfSegment = raw(`s.owner_no = search_gone.owner_no AND s.index_name = search_gone.index_name
  AND s.connection_no = search_gone.connection_no AND s.segment_no < search_gone.before_segment
  AND search_gone.doc BETWEEN s.first_doc AND s.last_doc`);

/** The segments that may still have records that are gone. */
export const segmentsWithGone = (on: ReadTransaction, shard: Shard): Promise<SegmentRow[]> =>
  on.all<SegmentRow>(sql`SELECT * FROM search_segment AS s WHERE ${ofShard(shard)}
    AND EXISTS (SELECT 1 FROM search_gone WHERE ${isOfSegment}) ORDER BY segment_no`);

/** What no segment can have any more needs no note. */
export const forgetGone = (on: WriteTransaction, shard: Shard) =>
  on.run(sql`DELETE FROM search_gone WHERE ${ofShard(shard)}
    AND NOT EXISTS (SELECT 1 FROM search_segment AS s WHERE ${isOfSegment})`);
