import { ByteReader, ByteWriter } from "./bytes.ts";

/**
 * A segment: the words of some records of one connection, written once and never changed. It consists of four parts, each of
 * which is kept in chunks of one database page:
 *
 * - the dictionary: every word of every field in order, in blocks of one chunk, with the number of records that have it;
 * - the fence: the first word of each block, so that one look finds the block a word is in;
 * - the postings: for each word the records that have it, how often, and how long the field is;
 * - the positions: where in the field it stands, for phrases.
 */

export const parts = { fence: 0, dictionary: 1, postings: 2, positions: 3 } as const;
export type PartNo = (typeof parts)[keyof typeof parts];

/** What fits a page of SQLite beside its header, and half a page of PostgreSQL. */
export const chunkBytes = 3900;
const blockBytes = 3400;
const chunksOfPart = 2 ** 20;
const chunksOfSegment = 4 * chunksOfPart;
/** Beyond this a part would run into the next one. */
export const largestPart = chunksOfPart * chunkBytes;

/** The number of a chunk in the whole vault. */
export const chunkNo = (segmentNo: number, part: PartNo, n: number): number =>
  segmentNo * chunksOfSegment + part * chunksOfPart + n;

export const chunksOf = (segmentNo: number): { from: number; to: number } => ({
  from: segmentNo * chunksOfSegment,
  to: (segmentNo + 1) * chunksOfSegment - 1,
});

/** Words of a field as the dictionary orders them: by their letters, and the long ones once more by their letters from the end. */
export const forwardKey = (field: number, form: string): string => String.fromCharCode(1 + 2 * field) + form;
export const backwardKey = (field: number, form: string): string =>
  String.fromCharCode(2 + 2 * field) + backwards(form);
export const isBackward = (key: string): boolean => key.charCodeAt(0) % 2 === 0;
export const fieldOfKey = (key: string): number => (key.charCodeAt(0) - 1) >> 1;

export function backwards(form: string): string {
  let reversed = "";
  for (const character of form) reversed = character + reversed;
  return reversed;
}

/** What stands in a compound is looked for from its end too; only long words of Latin letters are compounds. */
const shortestCompound = 9;
const latinLetters = /^[a-z]+$/;
export const mayBeCompound = (form: string): boolean => form.length >= shortestCompound && latinLetters.test(form);

/** Where a word's records are. A word that very many records have has several entries, one behind the other. */
export interface Entry {
  readonly key: string;
  /** How many records. */
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** In the postings and in the positions. */
  readonly postings: Range;
  readonly positions: Range;
}

export interface Range {
  readonly at: number;
  readonly size: number;
}

export interface Chunk {
  readonly no: number;
  readonly bytes: Uint8Array;
}

/** How far a segment has been written. */
export interface Written {
  readonly blocks: number;
  readonly fenceBytes: number;
  readonly postingBytes: number;
  readonly positionBytes: number;
}

export const nothingWritten: Written = { blocks: 0, fenceBytes: 0, postingBytes: 0, positionBytes: 0 };

interface PartWriter {
  add(bytes: Uint8Array): void;
  /** Where the next byte goes. */
  at(): number;
  /** Ends the chunk; what comes later begins with another one. */
  close(): void;
}

/** Chunks of equal size, so that a byte's place says in which one it is. */
function partWriter(segmentNo: number, part: PartNo, from: number, put: (chunk: Chunk) => void): PartWriter {
  let bytes = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  let start = from;
  const close = () => {
    if (filled === 0) return;
    put({ no: chunkNo(segmentNo, part, start / chunkBytes), bytes: bytes.subarray(0, filled) });
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
    at: () => start + filled,
    close,
  };
}

export interface SegmentWriter {
  /** Words come in the order of their keys. */
  add(entry: Omit<Entry, "postings" | "positions">, postings: Uint8Array, positions: Uint8Array): void;
  /** Ends what is being written, so that another writer can go on later; answers how far it got. */
  pause(): Written;
}

/** Writes a segment whose first record is `base`; the chunks go where `put` brings them. */
export function segmentWriter(
  segmentNo: number,
  base: number,
  from: Written,
  put: (chunk: Chunk) => void,
): SegmentWriter {
  const fence = partWriter(segmentNo, parts.fence, from.fenceBytes, put);
  const postings = partWriter(segmentNo, parts.postings, from.postingBytes, put);
  const positions = partWriter(segmentNo, parts.positions, from.positionBytes, put);
  const block = new ByteWriter();
  const name = new ByteWriter();
  let { blocks } = from;
  let previous = "";
  const closeBlock = () => {
    if (block.length === 0) return;
    put({ no: chunkNo(segmentNo, parts.dictionary, blocks), bytes: block.take() });
    blocks += 1;
    previous = "";
  };
  const openBlock = (key: string) => {
    name.text(key);
    fence.add(name.drain());
    block.number(postings.at());
    block.number(positions.at());
  };
  return {
    add({ key, count, first, last }, postingBytes, positionBytes) {
      if (block.length > blockBytes) closeBlock();
      if (block.length === 0) openBlock(key);
      const shared = sharedUnits(previous, key);
      block.number(shared);
      block.text(key.slice(shared));
      block.number(count);
      if (count > 0) {
        block.number(first - base);
        block.number(last - first);
        block.number(postingBytes.length);
        block.number(positionBytes.length);
        postings.add(postingBytes);
        positions.add(positionBytes);
      }
      previous = key;
    },
    pause() {
      closeBlock();
      // A name without letters says that the fence goes on in the next chunk.
      if (fence.at() % chunkBytes !== 0) {
        fence.add(Uint8Array.of(0));
        fence.close();
      }
      postings.close();
      positions.close();
      return { blocks, fenceBytes: fence.at(), postingBytes: postings.at(), positionBytes: positions.at() };
    },
  };
}

/** How much of its beginning a key shares with the one before; no character is cut in two. */
function sharedUnits(previous: string, key: string): number {
  const most = Math.min(previous.length, key.length);
  let shared = 0;
  while (shared < most && previous.charCodeAt(shared) === key.charCodeAt(shared)) shared += 1;
  const last = shared > 0 ? key.charCodeAt(shared - 1) : 0;
  return last >= 0xd800 && last <= 0xdbff ? shared - 1 : shared;
}

/** The first key of each block. */
export function readFence(chunks: readonly Buffer[]): string[] {
  const keys: string[] = [];
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (size === 0) return keys;
  // Names run on from one chunk to the next, but where writing was paused.
  let run: Buffer[] = [];
  const read = () => {
    const reader = new ByteReader(run.length === 1 ? (run[0] ?? Buffer.alloc(0)) : Buffer.concat(run));
    while (!reader.isAtEnd) {
      const key = reader.text();
      if (key !== "") keys.push(key);
    }
    run = [];
  };
  for (const chunk of chunks) {
    run.push(chunk);
    if (chunk.length < chunkBytes) read();
  }
  if (run.length > 0) read();
  return keys;
}

/** The words of a block in order. */
export interface Block {
  readonly keys: readonly string[];
  readonly entries: readonly Entry[];
}

export function readBlock(bytes: Buffer, base: number): Block {
  const reader = new ByteReader(bytes);
  const keys: string[] = [];
  const entries: Entry[] = [];
  let postingsAt = reader.number();
  let positionsAt = reader.number();
  let key = "";
  while (!reader.isAtEnd) {
    const shared = reader.number();
    key = key.slice(0, shared) + reader.text();
    const count = reader.number();
    let [first, last, postingBytes, positionBytes] = [0, 0, 0, 0];
    if (count > 0) {
      first = base + reader.number();
      last = first + reader.number();
      postingBytes = reader.number();
      positionBytes = reader.number();
    }
    keys.push(key);
    entries.push({
      key,
      count,
      first,
      last,
      postings: { at: postingsAt, size: postingBytes },
      positions: { at: positionsAt, size: positionBytes },
    });
    postingsAt += postingBytes;
    positionsAt += positionBytes;
  }
  return { keys, entries };
}

/** The first place in an ordered list whose key is not below this one. */
export function placeOf(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
