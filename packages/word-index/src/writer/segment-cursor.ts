import type { ChunkStore } from "../ports.ts";
import { type Block, type Entry, emptyBlock, findKeyIndex, readBlock, readTermIndex } from "../segment/dictionary.ts";
import {
  type ByteRange,
  type ChunkSpan,
  countChunks,
  getChunk,
  getChunkNo,
  getChunkSpan,
  listTermIndexChunks,
  type Part,
  parts,
  type SegmentSize,
  sliceRange,
} from "../segment/layout.ts";
import type { EncodedList } from "./encoded-list.ts";

export interface MergeInput {
  readonly segmentNo: number;
  readonly firstDoc: number;
  readonly size: SegmentSize;
  readonly tombstones: ReadonlySet<number>;
}

export interface SegmentCursor {
  readonly tombstones: ReadonlySet<number>;
  /** The key at the cursor; undefined at the end. */
  getKey(): string | undefined;
  /** Like `loadList`, returns a promise only when chunks must be loaded. */
  moveNext(): Promise<void> | undefined;
  loadList(): Promise<EncodedList> | EncodedList;
}

/** Opens a cursor at the first key after `after`, or at the start. */
export async function openSegmentCursor(
  store: ChunkStore,
  input: MergeInput,
  after: string | null,
): Promise<SegmentCursor> {
  const { segmentNo, firstDoc, size } = input;
  const dictionary = createSequentialReader(store, segmentNo, parts.dictionary, size.blocks);
  const postings = createSequentialReader(store, segmentNo, parts.postings, countChunks(size.postingBytes));
  const positions = createSequentialReader(store, segmentNo, parts.positions, countChunks(size.positionBytes));
  let blockNo = after === null ? 0 : await findBlockNo(store, input, after);
  let block: Block = emptyBlock;
  let index = 0;
  const loadBlock = async () => {
    index = 0;
    if (blockNo >= size.blocks) block = emptyBlock;
    else block = readBlock(await dictionary.loadChunk(blockNo), firstDoc);
  };
  const getEntry = (): Entry | undefined => block.getEntry(index);
  const moveNext = (): Promise<void> | undefined => {
    index += 1;
    if (index < block.keys.length) return undefined;
    blockNo += 1;
    return loadBlock();
  };
  await loadBlock();
  if (after !== null) while ((block.keys[index] ?? "\uffff") <= after) await moveNext();
  return {
    tombstones: input.tombstones,
    getKey: () => block.keys[index],
    moveNext,
    loadList() {
      const entry = getEntry();
      if (entry === undefined) throw new RangeError("The segment cursor is at its end.");
      const { docCount, firstDoc: first, lastDoc } = entry;
      const makeList = (postingBytes: Buffer, positionBytes: Buffer): EncodedList => ({
        docCount,
        firstDoc: first,
        lastDoc,
        postings: postingBytes,
        positions: positionBytes,
      });
      const loaded = [postings.getLoaded(entry.postings), positions.getLoaded(entry.positions)] as const;
      if (loaded[0] !== undefined && loaded[1] !== undefined) return makeList(loaded[0], loaded[1]);
      return (async () => makeList(await postings.load(entry.postings), await positions.load(entry.positions)))();
    },
  };
}

async function findBlockNo(store: ChunkStore, { segmentNo, size }: MergeInput, key: string): Promise<number> {
  const chunkNos = listTermIndexChunks(segmentNo, size);
  const chunks = await store.loadChunks(chunkNos);
  const termIndex = readTermIndex(chunkNos.map((no) => getChunk(chunks, no)));
  return Math.max(0, findKeyIndex(termIndex, key) - 1);
}

const chunksPerRead = 64;

/** Reads a part from start to end, many chunks at a time. */
function createSequentialReader(store: ChunkStore, segmentNo: number, part: Part, chunkCount: number) {
  const end = getChunkNo(segmentNo, part, chunkCount);
  let chunks: ReadonlyMap<number, Buffer> = new Map();
  const isLoaded = ({ first, last }: ChunkSpan): boolean => {
    for (let no = first; no <= last; no += 1) if (!chunks.has(no)) return false;
    return true;
  };
  const loadSpan = async (span: ChunkSpan) => {
    if (isLoaded(span)) return;
    const count = Math.max(span.last + 1 - span.first, Math.min(chunksPerRead, end - span.first));
    chunks = await store.loadChunks(Array.from({ length: count }, (_, n) => span.first + n));
  };
  return {
    async loadChunk(n: number): Promise<Buffer> {
      const no = getChunkNo(segmentNo, part, n);
      await loadSpan({ first: no, last: no });
      return getChunk(chunks, no);
    },
    getLoaded: (range: ByteRange): Buffer | undefined =>
      range.size === 0 || isLoaded(getChunkSpan(segmentNo, part, range))
        ? sliceRange(chunks, segmentNo, part, range)
        : undefined,
    async load(range: ByteRange): Promise<Buffer> {
      if (range.size > 0) await loadSpan(getChunkSpan(segmentNo, part, range));
      return sliceRange(chunks, segmentNo, part, range);
    },
  };
}
