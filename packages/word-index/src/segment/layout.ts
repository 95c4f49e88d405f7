/**
 * A segment is an inverted index of some documents of one connection. It is written once and never changed. Its four parts are
 * stored in chunks that fit a database page:
 *
 * - dictionary: every term of every field, sorted, in blocks of one chunk, with its number of documents;
 * - term index: the first key of each dictionary block, to find the block of a term without reading the others;
 * - postings: for each term its documents, with the term frequency and the field's length;
 * - positions: where the term occurs in each document, for phrases.
 */
export const parts = { termIndex: 0, dictionary: 1, postings: 2, positions: 3 } as const;
export type Part = (typeof parts)[keyof typeof parts];

/** Fits a page of SQLite with its header, and half a page of PostgreSQL. */
export const chunkBytes = 3900;
const chunksPerPart = 2 ** 20;
const chunksPerSegment = 4 * chunksPerPart;
export const maxPartBytes = chunksPerPart * chunkBytes;

export interface Chunk {
  readonly no: number;
  readonly bytes: Uint8Array;
}

export interface ByteRange {
  readonly at: number;
  readonly size: number;
}

/** How much of a segment has been written. Stored in the vault as JSON, so the names are part of its format. */
export interface SegmentSize {
  readonly blocks: number;
  readonly fenceBytes: number;
  readonly postingBytes: number;
  readonly positionBytes: number;
}

export const emptySize: SegmentSize = { blocks: 0, fenceBytes: 0, postingBytes: 0, positionBytes: 0 };

/** The number of a chunk, unique in a vault. */
export const getChunkNo = (segmentNo: number, part: Part, n: number): number =>
  segmentNo * chunksPerSegment + part * chunksPerPart + n;

/** Consecutive chunk numbers, both ends included. */
export interface ChunkSpan {
  readonly first: number;
  readonly last: number;
}

/** The numbers that chunks of a segment can have. */
export const getSegmentChunkSpan = (segmentNo: number): ChunkSpan => ({
  first: segmentNo * chunksPerSegment,
  last: (segmentNo + 1) * chunksPerSegment - 1,
});

/** The chunks that contain a range, which must not be empty. */
export const getChunkSpan = (segmentNo: number, part: Part, { at, size }: ByteRange): ChunkSpan => ({
  first: getChunkNo(segmentNo, part, Math.floor(at / chunkBytes)),
  last: getChunkNo(segmentNo, part, Math.floor((at + size - 1) / chunkBytes)),
});

export const countChunks = (bytes: number): number => Math.ceil(bytes / chunkBytes);

export const listTermIndexChunks = (segmentNo: number, { fenceBytes }: SegmentSize): number[] =>
  Array.from({ length: countChunks(fenceBytes) }, (_, n) => getChunkNo(segmentNo, parts.termIndex, n));

export class MissingChunkError extends Error {
  constructor(chunkNo: number) {
    const segmentNo = Math.floor(chunkNo / chunksPerSegment);
    super(`Chunk ${chunkNo} of segment ${segmentNo} is missing from the word index. Restore the vault from a backup.`);
    this.name = "MissingChunkError";
  }
}

export function getChunk(chunks: ReadonlyMap<number, Buffer>, chunkNo: number): Buffer {
  const chunk = chunks.get(chunkNo);
  if (chunk === undefined) throw new MissingChunkError(chunkNo);
  return chunk;
}

const noBytes = Buffer.alloc(0);

export function sliceRange(
  chunks: ReadonlyMap<number, Buffer>,
  segmentNo: number,
  part: Part,
  range: ByteRange,
): Buffer {
  if (range.size === 0) return noBytes;
  const start = range.at % chunkBytes;
  const end = start + range.size;
  const { first, last } = getChunkSpan(segmentNo, part, range);
  if (first === last) return getChunk(chunks, first).subarray(start, end);
  const pieces: Buffer[] = [];
  for (let no = first; no <= last; no += 1) pieces.push(getChunk(chunks, no));
  return Buffer.concat(pieces).subarray(start, end);
}
