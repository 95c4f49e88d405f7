import type { WriteTransaction } from "../engine/engine.ts";
import { bytesIn, readChunks, spanOf } from "./chunks.ts";
import {
  type Block,
  type Entry,
  type PartNo,
  parts,
  placeOf,
  type Range,
  readBlock,
  readFence,
  type Written,
} from "./segment.ts";

/** Going through a segment word by word, as a merge does. */

export interface MergeInput {
  readonly segmentNo: number;
  readonly firstDoc: number;
  readonly written: Written;
  /** The records in it that are no longer there. */
  readonly gone: ReadonlySet<number>;
}

/** The records of a word in one segment. */
export interface List {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly postings: Buffer;
  readonly positions: Buffer;
}

const nothing = Buffer.alloc(0);

/** A place in the dictionary of a segment. */
export interface Cursor {
  readonly gone: ReadonlySet<number>;
  key(): string | undefined;
  /** Both wait only where the database must be asked. */
  next(): Promise<void> | undefined;
  list(): Promise<List> | List;
}

const chunksAtOnce = 64;

export async function openCursor(
  on: WriteTransaction,
  ownerNo: number,
  input: MergeInput,
  after: string | null,
): Promise<Cursor> {
  const { segmentNo, firstDoc, written } = input;
  let first = 0;
  if (after !== null) {
    const fence = readFence(await readChunks(on, ownerNo, segmentNo, parts.fence, 0, lastChunk(written.fenceBytes)));
    first = Math.max(0, placeOf(fence, after) - 1);
  }
  const blockAt = runReader(on, ownerNo, segmentNo, parts.dictionary);
  const postingsAt = runReader(on, ownerNo, segmentNo, parts.postings);
  const positionsAt = runReader(on, ownerNo, segmentNo, parts.positions);
  let blockNo = first - 1;
  let block: Block = { keys: [], entries: [] };
  let place = 0;
  const toNextBlock = async () => {
    blockNo += 1;
    place = 0;
    block =
      blockNo >= written.blocks
        ? { keys: [], entries: [] }
        : readBlock(await blockAt.chunk(blockNo, written.blocks - 1), firstDoc);
  };
  const entry = (): Entry | undefined => block.entries[place];
  const next = (): Promise<void> | undefined => {
    place += 1;
    return place >= block.entries.length ? toNextBlock() : undefined;
  };
  await toNextBlock();
  if (after !== null) while ((entry()?.key ?? "\uffff") <= after) await next();
  return {
    gone: input.gone,
    key: () => entry()?.key,
    next,
    list() {
      const { count, first: firstOf, last, postings, positions } = block.entries[place] ?? noEntry;
      const of = (inPostings: Buffer, inPositions: Buffer): List => ({
        count,
        first: firstOf,
        last,
        postings: inPostings,
        positions: inPositions,
      });
      const held = [postingsAt.held(postings), positionsAt.held(positions)] as const;
      if (held[0] !== undefined && held[1] !== undefined) return of(held[0], held[1]);
      return (async () =>
        of(
          await postingsAt.range(postings, lastChunk(written.postingBytes)),
          await positionsAt.range(positions, lastChunk(written.positionBytes)),
        ))();
    },
  };
}

const noEntry: Entry = {
  key: "",
  count: 0,
  first: 0,
  last: 0,
  postings: { at: 0, size: 0 },
  positions: { at: 0, size: 0 },
};
const lastChunk = (bytes: number): number => spanOf({ at: 0, size: bytes }).to;

/** Chunks of a part that are read in order, many at a time. */
function runReader(on: WriteTransaction, ownerNo: number, segmentNo: number, part: PartNo) {
  let held: Buffer[] = [];
  let from = 0;
  const load = async (first: number, to: number, last: number) => {
    if (first >= from && to < from + held.length) return;
    const end = Math.min(last, Math.max(to, first + chunksAtOnce - 1));
    held = await readChunks(on, ownerNo, segmentNo, part, first, end);
    from = first;
  };
  const at = (n: number): Buffer | undefined => held[n - from];
  return {
    async chunk(n: number, last: number): Promise<Buffer> {
      await load(n, n, last);
      const chunk = at(n);
      if (chunk === undefined) throw new Error(`segment ${segmentNo} lacks block ${n}`);
      return chunk;
    },
    /** The bytes of a range, if they are there already. */
    held(range: Range): Buffer | undefined {
      if (range.size === 0) return nothing;
      const { from: first, to } = spanOf(range);
      return first >= from && to < from + held.length ? bytesIn(range, at) : undefined;
    },
    async range(range: Range, last: number): Promise<Buffer> {
      if (range.size === 0) return nothing;
      const { from: first, to } = spanOf(range);
      await load(first, to, last);
      return bytesIn(range, at);
    },
  };
}
