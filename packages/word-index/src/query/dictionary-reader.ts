import { LRUCache } from "lru-cache";
import type { ChunkStore, Segment } from "../ports.ts";
import { requireItem } from "../require-item.ts";
import { type Block, type Entry, findKeyIndex, readBlock, readTermIndex } from "../segment/dictionary.ts";
import {
  type ByteRange,
  getChunk,
  getChunkNo,
  getChunkSpan,
  listTermIndexChunks,
  type Part,
  parts,
  sliceRange,
} from "../segment/layout.ts";

/** The keys of a segment from `from` up to, but not including, `to`. */
export interface KeyRange {
  readonly segment: Segment;
  readonly from: string;
  readonly to: string;
}

/** Reads the dictionaries of segments. Segments never change, so what was read is cached. */
export interface DictionaryReader {
  /** The entries of each range, all loaded in at most two reads. */
  loadEntries(store: ChunkStore, ranges: readonly KeyRange[]): Promise<Entry[][]>;
}

/** In every thread that searches. It is an estimate, because strings and numbers are held by the engine. */
const maxCachedBytes = 8_000_000;
/** A range that covers more dictionary blocks is cut off here. */
const maxBlocksPerRange = 100;

export function createDictionaryReader(maxBytes = maxCachedBytes): DictionaryReader {
  const termIndexCache = new LRUCache<number, readonly string[]>({
    maxSize: Math.ceil(maxBytes / 4),
    sizeCalculation: estimateBytes,
  });
  const blockCache = new LRUCache<number, Block>({
    maxSize: Math.ceil(maxBytes),
    sizeCalculation: ({ keys, numberBytes }) => estimateBytes(keys) + numberBytes,
  });

  // Both return everything that is needed: the cache may evict an item while it is still in use.
  const loadTermIndexes = async (
    store: ChunkStore,
    segments: Iterable<Segment>,
  ): Promise<ReadonlyMap<number, readonly string[]>> => {
    const loaded = new Map<number, readonly string[]>();
    const missing = new Map<number, number[]>();
    for (const { no, size } of segments) {
      if (loaded.has(no) || missing.has(no)) continue;
      const cached = termIndexCache.get(no);
      if (cached === undefined) missing.set(no, listTermIndexChunks(no, size));
      else loaded.set(no, cached);
    }
    if (missing.size === 0) return loaded;
    const chunks = await store.loadChunks([...missing.values()].flat());
    for (const [no, chunkNos] of missing) {
      const termIndex = readTermIndex(chunkNos.map((chunkNo) => getChunk(chunks, chunkNo)));
      loaded.set(no, termIndex);
      termIndexCache.set(no, termIndex);
    }
    return loaded;
  };

  /** Takes the segment of each block by the number of the block's chunk. */
  const loadBlocks = async (
    store: ChunkStore,
    wanted: ReadonlyMap<number, Segment>,
  ): Promise<ReadonlyMap<number, Block>> => {
    const loaded = new Map<number, Block>();
    const missing: number[] = [];
    for (const chunkNo of wanted.keys()) {
      const cached = blockCache.get(chunkNo);
      if (cached === undefined) missing.push(chunkNo);
      else loaded.set(chunkNo, cached);
    }
    if (missing.length === 0) return loaded;
    const chunks = await store.loadChunks(missing);
    for (const chunkNo of missing) {
      const block = readBlock(getChunk(chunks, chunkNo), requireItem(wanted.get(chunkNo)).firstDoc);
      loaded.set(chunkNo, block);
      blockCache.set(chunkNo, block);
    }
    return loaded;
  };

  return {
    async loadEntries(store, ranges) {
      const termIndexes = await loadTermIndexes(
        store,
        ranges.map(({ segment }) => segment),
      );
      const segmentsByBlock = new Map<number, Segment>();
      const located = ranges.map((range) => {
        const blockNos = listBlocks(requireItem(termIndexes.get(range.segment.no)), range);
        for (const blockNo of blockNos) segmentsByBlock.set(blockNo, range.segment);
        return { ...range, blockNos };
      });
      const blocks = await loadBlocks(store, segmentsByBlock);
      return located.map(({ from, to, blockNos }) => {
        const entries: Entry[] = [];
        for (const blockNo of blockNos) addEntries(entries, requireItem(blocks.get(blockNo)), from, to);
        return entries;
      });
    },
  };
}

/** What each string takes besides its characters. */
const stringBytes = 24;

const estimateBytes = (keys: readonly string[]): number =>
  keys.reduce((sum, { length }) => sum + stringBytes + length, stringBytes);

/** The chunk numbers of the blocks that can contain keys of a range. */
function listBlocks(termIndex: readonly string[], { segment, from, to }: KeyRange): number[] {
  const first = Math.max(0, findKeyIndex(termIndex, from) - 1);
  const last = Math.min(findKeyIndex(termIndex, to) - 1, first + maxBlocksPerRange - 1);
  const chunkNos: number[] = [];
  for (let n = first; n <= last; n += 1) chunkNos.push(getChunkNo(segment.no, parts.dictionary, n));
  return chunkNos;
}

function addEntries(entries: Entry[], block: Block, from: string, to: string): void {
  for (let n = findKeyIndex(block.keys, from); n < block.keys.length; n += 1) {
    const entry = block.getEntry(n);
    if (entry === undefined || entry.key >= to) return;
    entries.push(entry);
  }
}

export interface SegmentRange {
  readonly segment: Segment;
  readonly part: Part;
  readonly range: ByteRange;
}

export async function loadRanges(store: ChunkStore, ranges: readonly SegmentRange[]): Promise<Buffer[]> {
  const chunkNos = new Set<number>();
  for (const { segment, part, range } of ranges) {
    if (range.size === 0) continue;
    const { first, last } = getChunkSpan(segment.no, part, range);
    for (let no = first; no <= last; no += 1) chunkNos.add(no);
  }
  const chunks = chunkNos.size === 0 ? new Map<number, Buffer>() : await store.loadChunks([...chunkNos]);
  return ranges.map(({ segment, part, range }) => sliceRange(chunks, segment.no, part, range));
}
