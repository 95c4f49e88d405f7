import { expect, it } from "vitest";
import type { ChunkStore, Segment } from "../ports.ts";
import { makeKey } from "../segment/keys.ts";
import { emptySize } from "../segment/layout.ts";
import { createSegmentWriter } from "../segment/segment-writer.ts";
import { createDictionaryReader } from "./dictionary-reader.ts";

const count = 6000;
const buildTerm = (n: number): string => makeKey(0, `word${String(n).padStart(6, "0")}`);

/** A segment of many terms, and a store that counts what is read of it. */
function buildSegment(): { segment: Segment; store: ChunkStore; readChunks: () => number } {
  const chunks = new Map<number, Buffer>();
  const writer = createSegmentWriter({ segmentNo: 1, firstDoc: 0 }, emptySize, ({ no, bytes }) => {
    chunks.set(no, Buffer.from(bytes));
  });
  for (let n = 0; n < count; n += 1)
    writer.add({ key: buildTerm(n), docCount: 1, firstDoc: n, lastDoc: n }, Buffer.of(1), Buffer.of(1));
  const size = writer.pause();
  let loaded = 0;
  const loadChunks = async (nos: readonly number[]) => {
    loaded += nos.length;
    return new Map(nos.map((no) => [no, chunks.get(no) ?? Buffer.alloc(0)]));
  };
  return {
    segment: { no: 1, firstDoc: 0, docCount: count, fieldLengths: [count], size, tombstones: undefined },
    store: { loadChunks },
    readChunks: () => loaded,
  };
}

it("[FAIR-7] keeps the dictionary entries that it has room for, and reads the others again", async () => {
  const { segment, store, readChunks } = buildSegment();
  const all = { segment, from: buildTerm(0), to: buildTerm(count) };
  const readTwice = async (maxBytes: number): Promise<number> => {
    const reader = createDictionaryReader(maxBytes);
    const [first = []] = await reader.loadEntries(store, [all]);
    expect(first.map(({ key }) => key)).toEqual(Array.from({ length: count }, (_, n) => buildTerm(n)));
    const before = readChunks();
    expect(await reader.loadEntries(store, [all])).toEqual([first]);
    return readChunks() - before;
  };
  const blocks = segment.size.blocks;
  expect(blocks).toBeGreaterThan(10);
  // A string of 11 characters and five numbers.
  const entryBytes = 11 + 24 + 5 * 8;
  expect(await readTwice(count * entryBytes * 1.1)).toBe(0);
  expect(await readTwice((count * entryBytes) / 2)).toBeGreaterThanOrEqual(blocks / 2);
});
