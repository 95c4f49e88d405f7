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

/** Thousands of blocks are cached, so entries are stored as numbers and made on demand: an object for each takes twice the memory. */
export interface Block {
  readonly keys: readonly string[];
  /** The memory that the other numbers of its entries take. */
  readonly numberBytes: number;
  /** Undefined after the last one. */
  getEntry(n: number): Entry | undefined;
}

export const emptyBlock: Block = { keys: [], numberBytes: 0, getEntry: () => undefined };

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

/** Where an entry's numbers are: its documents, then where its postings and positions begin. The next entry's say where they end. */
const numbersPerEntry = 5;

export function readBlock(bytes: Buffer, segmentFirstDoc: number): Block {
  const reader = new ByteReader(bytes);
  const keys: string[] = [];
  const numbers: number[] = [];
  let postingsAt = reader.readNumber();
  let positionsAt = reader.readNumber();
  let key = "";
  while (!reader.isAtEnd) {
    const shared = reader.readNumber();
    key = key.slice(0, shared) + reader.readText();
    keys.push(key);
    const docCount = reader.readNumber();
    if (docCount === 0) {
      numbers.push(0, 0, 0, postingsAt, positionsAt);
      continue;
    }
    const firstDoc = segmentFirstDoc + reader.readNumber();
    numbers.push(docCount, firstDoc, firstDoc + reader.readNumber(), postingsAt, positionsAt);
    postingsAt += reader.readNumber();
    positionsAt += reader.readNumber();
  }
  numbers.push(0, 0, 0, postingsAt, positionsAt);
  return createBlock(keys, Float64Array.from(numbers));
}

function createBlock(keys: readonly string[], numbers: Float64Array): Block {
  const getNumber = (at: number): number => numbers[at] ?? 0;
  const getRange = (at: number): ByteRange => ({
    at: getNumber(at),
    size: getNumber(at + numbersPerEntry) - getNumber(at),
  });
  return {
    keys,
    numberBytes: numbers.byteLength,
    getEntry(n) {
      const key = keys[n];
      if (key === undefined) return undefined;
      const at = n * numbersPerEntry;
      return {
        key,
        docCount: getNumber(at),
        firstDoc: getNumber(at + 1),
        lastDoc: getNumber(at + 2),
        postings: getRange(at + 3),
        positions: getRange(at + 4),
      };
    },
  };
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
