import { ByteReader } from "./bytes.ts";
import { type ByteRange, chunkBytes } from "./layout.ts";

/** A posting list of a term. A term that very many documents contain has several consecutive entries. */
export interface Entry {
  readonly key: string;
  readonly docCount: number;
  readonly firstDoc: number;
  readonly lastDoc: number;
  readonly postings: ByteRange;
  readonly positions: ByteRange;
}

export interface Block {
  readonly keys: readonly string[];
  readonly entries: readonly Entry[];
}

/** The first key of each dictionary block. */
export function readTermIndex(chunks: readonly Buffer[]): string[] {
  const keys: string[] = [];
  // A key can continue in the next chunk, except after a chunk that is not full: there the writer paused.
  let pending: Buffer[] = [];
  const readPending = () => {
    const reader = new ByteReader(Buffer.concat(pending));
    while (!reader.isAtEnd) {
      const key = reader.readText();
      if (key !== "") keys.push(key);
    }
    pending = [];
  };
  for (const chunk of chunks) {
    pending.push(chunk);
    if (chunk.length < chunkBytes) readPending();
  }
  if (pending.length > 0) readPending();
  return keys;
}

export function readBlock(bytes: Buffer, segmentFirstDoc: number): Block {
  const reader = new ByteReader(bytes);
  const keys: string[] = [];
  const entries: Entry[] = [];
  let postingsAt = reader.readNumber();
  let positionsAt = reader.readNumber();
  let key = "";
  while (!reader.isAtEnd) {
    const shared = reader.readNumber();
    key = key.slice(0, shared) + reader.readText();
    const docCount = reader.readNumber();
    let [firstDoc, lastDoc, postingBytes, positionBytes] = [0, 0, 0, 0];
    if (docCount > 0) {
      firstDoc = segmentFirstDoc + reader.readNumber();
      lastDoc = firstDoc + reader.readNumber();
      postingBytes = reader.readNumber();
      positionBytes = reader.readNumber();
    }
    keys.push(key);
    entries.push({
      key,
      docCount,
      firstDoc,
      lastDoc,
      postings: { at: postingsAt, size: postingBytes },
      positions: { at: positionsAt, size: positionBytes },
    });
    postingsAt += postingBytes;
    positionsAt += positionBytes;
  }
  return { keys, entries };
}

/** Binary search: the index of the first key that is not below `key`. */
export function findKeyIndex(sortedKeys: readonly string[], key: string): number {
  let [low, high] = [0, sortedKeys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sortedKeys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
