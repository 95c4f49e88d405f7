import type { ChunkStore } from "@pdpp/word-index/ports";
import { type Chunk, getSegmentChunkSpan } from "@pdpp/word-index/segment/layout";
import { defineColumns, type ReadTransaction, type WriteTransaction } from "../engine/engine.ts";
import { type Sql, sql } from "../engine/sql.ts";

export const openChunkStore = (on: ReadTransaction, ownerNo: number): ChunkStore => ({
  loadChunks: (chunkNos) => selectChunks(on, ownerNo, chunkNos, on.dialect.amongNumbers("chunk_no", chunkNos)),
});

/** Loads ranges of chunks. For merges, which read segments from start to end. */
export const openChunkRangeStore = (on: ReadTransaction, ownerNo: number): ChunkStore => ({
  loadChunks: (chunkNos) =>
    selectChunks(on, ownerNo, chunkNos, sql`chunk_no BETWEEN ${Math.min(...chunkNos)} AND ${Math.max(...chunkNos)}`),
});

async function selectChunks(
  on: ReadTransaction,
  ownerNo: number,
  chunkNos: readonly number[],
  condition: Sql,
): Promise<ReadonlyMap<number, Buffer>> {
  if (chunkNos.length === 0) return new Map();
  const rows = await on.all<{ readonly chunk_no: number; readonly bytes: Uint8Array }>(
    sql`SELECT chunk_no, bytes FROM search_chunk WHERE owner_no = ${ownerNo} AND ${condition}`,
  );
  return new Map(
    rows.map(({ chunk_no, bytes }) => [chunk_no, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]),
  );
}

const columns = defineColumns("chunk_no integer, owner_no integer, bytes bytes");

export const writeChunks = (on: WriteTransaction, ownerNo: number, chunks: readonly Chunk[]): Promise<void> =>
  on.insert(
    "search_chunk",
    columns,
    chunks.map(({ no, bytes }) => [no, ownerNo, bytes]),
  );

export async function deleteChunks(on: WriteTransaction, ownerNo: number, segmentNo: number): Promise<void> {
  const { first, last } = getSegmentChunkSpan(segmentNo);
  await on.run(sql`DELETE FROM search_chunk WHERE owner_no = ${ownerNo} AND chunk_no BETWEEN ${first} AND ${last}`);
}
