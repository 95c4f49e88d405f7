import type { ChunkStore } from "../../../packages/word-index/src/ports.ts";
import { readBlock, readTermIndex } from "../../../packages/word-index/src/segment/dictionary.ts";
import {
  canBeCompound,
  getKeyField,
  getKeyTerm,
  isReversedKey,
  makeReversedKey,
  reverseTerm,
} from "../../../packages/word-index/src/segment/keys.ts";
import {
  countChunks,
  getChunk,
  getChunkNo,
  listTermIndexChunks,
  type Part,
  parts,
  type SegmentSize,
  sliceRange,
} from "../../../packages/word-index/src/segment/layout.ts";
import { PositionReader, readPostings } from "../../../packages/word-index/src/segment/posting-list.ts";

/** Reads a whole segment, to check an index against what it should contain. */

export interface SegmentDump {
  readonly keys: readonly string[];
  /** All terms, including those that only have a reversed key. */
  readonly terms: ReadonlySet<string>;
  readonly occurrences: readonly Occurrence[];
}

/** A term in one field of one document. */
export interface Occurrence {
  readonly field: number;
  readonly term: string;
  readonly doc: number;
  readonly encodedLength: number;
  readonly positions: readonly number[];
}

export async function dumpSegment(
  store: ChunkStore,
  { segmentNo, firstDoc, size }: { readonly segmentNo: number; readonly firstDoc: number; readonly size: SegmentSize },
): Promise<SegmentDump> {
  const listChunks = (part: Part, count: number): number[] =>
    Array.from({ length: count }, (_, n) => getChunkNo(segmentNo, part, n));
  const load = async (chunkNos: readonly number[]): Promise<Buffer[]> => {
    const loaded = await store.loadChunks(chunkNos);
    return chunkNos.map((no) => getChunk(loaded, no));
  };
  const blocks = (await load(listChunks(parts.dictionary, size.blocks))).map((bytes) => readBlock(bytes, firstDoc));
  const termIndex = readTermIndex(await load(listTermIndexChunks(segmentNo, size)));
  if (JSON.stringify(termIndex) !== JSON.stringify(blocks.map(({ keys }) => keys[0])))
    throw new Error(`The term index of segment ${segmentNo} does not fit its dictionary.`);
  const postings = await store.loadChunks(listChunks(parts.postings, countChunks(size.postingBytes)));
  const positions = await store.loadChunks(listChunks(parts.positions, countChunks(size.positionBytes)));
  const occurrences: Occurrence[] = [];
  for (const entry of blocks.flatMap(({ keys, getEntry }) => keys.flatMap((_, n) => getEntry(n) ?? []))) {
    if (isReversedKey(entry.key)) continue;
    const bytes = sliceRange(postings, segmentNo, parts.postings, entry.postings);
    const { docs, frequencies, lengths } = readPostings(bytes, entry.firstDoc, entry.docCount);
    if (docs[0] !== entry.firstDoc || docs.at(-1) !== entry.lastDoc)
      throw new Error(`An entry of segment ${segmentNo} has the wrong first or last document.`);
    const positionBytes = sliceRange(positions, segmentNo, parts.positions, entry.positions);
    const positionReader = new PositionReader(positionBytes, { frequencies });
    for (const [n, doc] of docs.entries())
      occurrences.push({
        field: getKeyField(entry.key),
        term: getKeyTerm(entry.key),
        doc,
        encodedLength: lengths[n] ?? 0,
        positions: [...positionReader.read(n)],
      });
  }
  const keys = blocks.flatMap((block) => block.keys);
  const terms = new Set(keys.map((key) => (isReversedKey(key) ? reverseTerm(getKeyTerm(key)) : getKeyTerm(key))));
  return { keys, terms, occurrences };
}

/** Keys must be sorted, and exactly the possible compounds must have a reversed key. */
export function findKeyErrors(keys: readonly string[]): string[] {
  const errors = keys.filter((key, n) => key < (keys[n - 1] ?? "")).map((key) => `key out of order: ${key}`);
  const terms = [...new Set(keys.filter((key) => !isReversedKey(key)))];
  const expected = terms
    .filter((key) => canBeCompound(getKeyTerm(key)))
    .map((key) => makeReversedKey(getKeyField(key), reverseTerm(getKeyTerm(key))));
  const isSame = JSON.stringify(keys.filter(isReversedKey).sort()) === JSON.stringify(expected.sort());
  return isSame ? errors : [...errors, "the reversed keys do not fit the terms"];
}
