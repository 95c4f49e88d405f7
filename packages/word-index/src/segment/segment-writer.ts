import { ByteWriter } from "./bytes.ts";
import type { Entry } from "./dictionary.ts";
import { type Chunk, chunkBytes, getChunkNo, type Part, parts, type SegmentSize } from "./layout.ts";

export interface SegmentWriter {
  /** Adds an entry. Keys must come in ascending order. */
  add(entry: Omit<Entry, "postings" | "positions">, postings: Uint8Array, positions: Uint8Array): void;
  /** Closes all open chunks, so that another writer can continue from the returned size. */
  pause(): SegmentSize;
}

const maxBlockBytes = 3400;

export function createSegmentWriter(
  { segmentNo, firstDoc: segmentFirstDoc }: { readonly segmentNo: number; readonly firstDoc: number },
  size: SegmentSize,
  emit: (chunk: Chunk) => void,
): SegmentWriter {
  const termIndex = createPartWriter(segmentNo, parts.termIndex, size.fenceBytes, emit);
  const postings = createPartWriter(segmentNo, parts.postings, size.postingBytes, emit);
  const positions = createPartWriter(segmentNo, parts.positions, size.positionBytes, emit);
  const block = new ByteWriter();
  const blockKey = new ByteWriter();
  let { blocks } = size;
  let previousKey = "";
  const closeBlock = () => {
    if (block.length === 0) return;
    emit({ no: getChunkNo(segmentNo, parts.dictionary, blocks), bytes: block.take() });
    blocks += 1;
    previousKey = "";
  };
  const openBlock = (key: string) => {
    blockKey.writeText(key);
    termIndex.add(blockKey.drain());
    block.writeNumber(postings.getSize());
    block.writeNumber(positions.getSize());
  };
  return {
    add({ key, docCount, firstDoc, lastDoc }, postingBytes, positionBytes) {
      if (block.length > maxBlockBytes) closeBlock();
      if (block.length === 0) openBlock(key);
      const shared = countSharedUnits(previousKey, key);
      block.writeNumber(shared);
      block.writeText(key.slice(shared));
      block.writeNumber(docCount);
      if (docCount > 0) {
        block.writeNumber(firstDoc - segmentFirstDoc);
        block.writeNumber(lastDoc - firstDoc);
        block.writeNumber(postingBytes.length);
        block.writeNumber(positionBytes.length);
        postings.add(postingBytes);
        positions.add(positionBytes);
      }
      previousKey = key;
    },
    pause() {
      closeBlock();
      // An empty key marks where the term index continues in the next chunk.
      if (termIndex.getSize() % chunkBytes !== 0) {
        termIndex.add(Uint8Array.of(0));
        termIndex.close();
      }
      postings.close();
      positions.close();
      return {
        blocks,
        fenceBytes: termIndex.getSize(),
        postingBytes: postings.getSize(),
        positionBytes: positions.getSize(),
      };
    },
  };
}

interface PartWriter {
  add(bytes: Uint8Array): void;
  /** Also the offset of the next byte. */
  getSize(): number;
  /** Ends the current chunk. The next byte starts a new one. */
  close(): void;
}

/** Writes chunks of equal size, so that an offset gives the number of its chunk. */
function createPartWriter(
  segmentNo: number,
  part: Part,
  initialSize: number,
  emit: (chunk: Chunk) => void,
): PartWriter {
  let bytes = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  let start = initialSize;
  const close = () => {
    if (filled === 0) return;
    emit({ no: getChunkNo(segmentNo, part, start / chunkBytes), bytes: bytes.subarray(0, filled) });
    bytes = Buffer.allocUnsafe(chunkBytes);
    start += chunkBytes;
    filled = 0;
  };
  return {
    add(added) {
      for (let done = 0; done < added.length; ) {
        const size = Math.min(added.length - done, chunkBytes - filled);
        bytes.set(added.subarray(done, done + size), filled);
        done += size;
        filled += size;
        if (filled === chunkBytes) close();
      }
    },
    getSize: () => start + filled,
    close,
  };
}

/** The length of the common prefix in UTF-16 units, without splitting a surrogate pair. */
function countSharedUnits(previous: string, key: string): number {
  const max = Math.min(previous.length, key.length);
  let shared = 0;
  while (shared < max && previous.charCodeAt(shared) === key.charCodeAt(shared)) shared += 1;
  const last = shared > 0 ? key.charCodeAt(shared - 1) : 0;
  return last >= 0xd800 && last <= 0xdbff ? shared - 1 : shared;
}
