import type { Column, ReadTransaction, WriteTransaction } from "../engine/engine.ts";
import { sql } from "../engine/sql.ts";
import { type Chunk, chunkBytes, chunkNo, chunksOf, type PartNo, type Range } from "./segment.ts";

/** Chunks of segments in their table. */

interface ChunkRow {
  readonly chunk_no: number;
  readonly bytes: Uint8Array;
}

const columns: readonly Column[] = [
  { name: "chunk_no", type: "integer" },
  { name: "owner_no", type: "integer" },
  { name: "bytes", type: "bytes" },
];

export const writeChunks = (on: WriteTransaction, ownerNo: number, chunks: readonly Chunk[]): Promise<void> =>
  on.insert(
    "search_chunk",
    columns,
    chunks.map(({ no, bytes }) => [no, ownerNo, bytes]),
  );

export async function dropChunks(on: WriteTransaction, ownerNo: number, segmentNo: number): Promise<void> {
  const { from, to } = chunksOf(segmentNo);
  await on.run(sql`DELETE FROM search_chunk WHERE owner_no = ${ownerNo} AND chunk_no BETWEEN ${from} AND ${to}`);
}

/** Some chunks of a part, from one to another, in order. */
export async function readChunks(
  on: ReadTransaction,
  ownerNo: number,
  segmentNo: number,
  part: PartNo,
  from: number,
  to: number,
): Promise<Buffer[]> {
  const rows = await on.all<ChunkRow>(sql`SELECT chunk_no, bytes FROM search_chunk WHERE owner_no = ${ownerNo}
    AND chunk_no BETWEEN ${chunkNo(segmentNo, part, from)} AND ${chunkNo(segmentNo, part, to)} ORDER BY chunk_no`);
  return rows.map(({ bytes }) => asBuffer(bytes));
}

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The chunks that a range of a part is in. */
export const spanOf = ({ at, size }: Range): { from: number; to: number } => ({
  from: Math.floor(at / chunkBytes),
  to: Math.floor((at + Math.max(size, 1) - 1) / chunkBytes),
});

/** The bytes of a range, out of the chunks that it is in. */
export function bytesIn(range: Range, chunkAt: (n: number) => Buffer | undefined): Buffer {
  if (range.size === 0) return empty;
  const { from, to } = spanOf(range);
  const start = range.at - from * chunkBytes;
  const held: Buffer[] = [];
  for (let n = from; n <= to; n += 1) {
    const chunk = chunkAt(n);
    if (chunk === undefined) throw new Error("the word index lacks a part of itself");
    held.push(chunk);
  }
  const [only] = held;
  const all = held.length === 1 && only !== undefined ? only : Buffer.concat(held);
  return all.subarray(start, start + range.size);
}

const empty = Buffer.alloc(0);
