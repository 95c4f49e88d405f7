import { tokenize } from "@pdpp/language/words/tokenize";
import { dumpSegment, findKeyErrors, type Occurrence } from "@pdpp/test-support/vaults/segment-dump";
import fc from "fast-check";
import { expect, it } from "vitest";
import { requireItem } from "../require-item.ts";
import { buildSegment, type NewDocument } from "../writer/build-segment.ts";
import { mergeStep, startMerge } from "../writer/merge-segments.ts";
import type { MergeInput } from "../writer/segment-cursor.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type Entry, findKeyIndex, readBlock, readTermIndex } from "./dictionary.ts";
import { decodedLengths, encodeLength } from "./field-length.ts";
import { makeKey } from "./keys.ts";
import {
  type Chunk,
  chunkBytes,
  emptySize,
  getChunk,
  getChunkNo,
  listTermIndexChunks,
  MissingChunkError,
  parts,
  type SegmentSize,
  sliceRange,
} from "./layout.ts";
import { PositionReader, readPostings, writePosting } from "./posting-list.ts";
import { createSegmentWriter } from "./segment-writer.ts";

const whole = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat(),
  fc.constantFrom(127, 128, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
);

it("reads numbers and texts back as they were written", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(whole, fc.string({ unit: "binary", maxLength: 700 }))), (values) => {
      const writer = new ByteWriter();
      for (const value of values) typeof value === "number" ? writer.writeNumber(value) : writer.writeText(value);
      const bytes = writer.take();
      const reader = new ByteReader(bytes);
      expect(values.map((value) => (typeof value === "number" ? reader.readNumber() : reader.readText()))).toEqual(
        values,
      );
      expect(reader.isAtEnd).toBe(true);
      expect(() => reader.readByte()).toThrow(RangeError);
    }),
  );
});

it("encodes lengths in ascending order and within 3%", () => {
  let before = 0;
  for (let length = 0; length < 6_000_000; length += Math.max(1, Math.floor(length / 500))) {
    const code = encodeLength(length);
    expect(code).toBeGreaterThanOrEqual(before);
    before = code;
    const coded = decodedLengths[code] ?? 0;
    if (length <= 40 * 2 ** (215 / 12)) expect(Math.abs(coded - length)).toBeLessThanOrEqual(0.03 * length);
  }
  expect(encodeLength(Number.MAX_SAFE_INTEGER)).toBe(255);
});

type ChunkMap = Map<number, Buffer>;

const keepIn = (chunks: ChunkMap) => (chunk: Chunk) => {
  expect(chunks.has(chunk.no)).toBe(false);
  expect(chunk.bytes.length).toBeLessThanOrEqual(chunkBytes + 4000);
  chunks.set(chunk.no, Buffer.from(chunk.bytes));
};

const makeStore = (chunks: ChunkMap) => ({ loadChunks: async () => chunks });

const loadTermIndex = (chunks: ChunkMap, segmentNo: number, size: SegmentSize): string[] =>
  readTermIndex(listTermIndexChunks(segmentNo, size).map((no) => getChunk(chunks, no)));

function loadEntries(chunks: ChunkMap, segmentNo: number, firstDoc: number, size: SegmentSize): Entry[] {
  const blocks = Array.from({ length: size.blocks }, (_, n) =>
    readBlock(getChunk(chunks, getChunkNo(segmentNo, parts.dictionary, n)), firstDoc),
  );
  expect(loadTermIndex(chunks, segmentNo, size)).toEqual(blocks.map(({ keys }) => keys[0]));
  return blocks.flatMap(({ keys, getEntry }) => keys.map((_, n) => requireItem(getEntry(n))));
}

const letters = fc.string({ unit: fc.constantFrom("a", "b", "é", "東", "𝒳", "𝒴", "\u{10ffff}"), maxLength: 8 });
const keys = fc
  .array(fc.tuple(fc.nat(3), fc.constantFrom("", "shared".repeat(9), "𝒳𝒴".repeat(20)), letters), {
    maxLength: 400,
    size: "max",
  })
  .map((list) => [...new Set(list.map(([field, start, end]) => makeKey(field, `${start}${end}x`)))].sort());

it("reads the entries back as they were written, wherever the writer paused", () => {
  fc.assert(
    fc.property(keys, fc.nat(1000), fc.array(fc.nat(400)), fc.nat(9000), (list, base, pauses, large) => {
      const chunks: ChunkMap = new Map();
      const segment = { segmentNo: 7, firstDoc: base };
      let writer = createSegmentWriter(segment, emptySize, keepIn(chunks));
      const makeBytes = (n: number) => Buffer.alloc(n % 97 === 3 ? large : 1 + (n % 5), n);
      for (const [n, key] of list.entries()) {
        if (pauses.includes(n)) writer = createSegmentWriter(segment, writer.pause(), keepIn(chunks));
        const entry = { key, docCount: 1 + n, firstDoc: base + n, lastDoc: base + 2 * n };
        writer.add(entry, makeBytes(n), makeBytes(n + 1));
      }
      const size = writer.pause();
      const entries = loadEntries(chunks, 7, base, size);
      expect(entries.map(({ key }) => key)).toEqual(list);
      for (const [n, { docCount, firstDoc, lastDoc, postings, positions }] of entries.entries()) {
        expect([docCount, firstDoc, lastDoc]).toEqual([1 + n, base + n, base + 2 * n]);
        expect(sliceRange(chunks, 7, parts.postings, postings).equals(makeBytes(n))).toBe(true);
        expect(sliceRange(chunks, 7, parts.positions, positions).equals(makeBytes(n + 1))).toBe(true);
      }
      const termIndex = loadTermIndex(chunks, 7, size);
      for (const key of list)
        expect(termIndex[Math.max(0, findKeyIndex(termIndex, `${key}\u0000`) - 1)]! <= key).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it("reads postings and positions back as they were written", () => {
  const posting = fc.record({
    gap: fc.integer({ min: 1, max: 2 ** 40 }),
    length: fc.nat(255),
    places: fc.uniqueArray(fc.nat(10_000_000), { minLength: 1, maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.nat(2 ** 40), fc.array(posting, { minLength: 1 }), (first, list) => {
      const [postings, positions] = [new ByteWriter(), new ByteWriter()];
      let doc = first;
      const docs = list.map(({ gap, length, places }, n) => {
        doc += n === 0 ? 0 : gap;
        writePosting(postings, n === 0 ? 0 : gap, places.length, length);
        let before = 0;
        for (const place of places.sort((a, b) => a - b)) {
          positions.writeNumber(place - before);
          before = place;
        }
        return doc;
      });
      const read = readPostings(postings.take(), first, list.length);
      expect([...read.docs]).toEqual(docs);
      expect([...read.frequencies]).toEqual(list.map(({ places }) => places.length));
      expect([...read.lengths]).toEqual(list.map(({ length }) => length));
      const reader = new PositionReader(positions.take(), read);
      for (const [n, { places }] of list.entries()) if (n % 2 === 0) expect([...reader.read(n)]).toEqual(places);
      expect(() => reader.read(0)).toThrow(RangeError);
    }),
  );
});

const formatOccurrence = ({ field, term, doc, encodedLength, positions }: Occurrence): string =>
  `${field} ${term} ${doc} ${encodedLength} ${positions.join(",")}`;

const countWords = (text: string | null | undefined): number =>
  Math.max(0, ...tokenize(text ?? "").map(({ position }) => position + 1));

/** The occurrences that an index of these documents must contain. */
const listExpected = (documents: readonly NewDocument[]): string[] =>
  documents
    .flatMap(({ doc, texts }) =>
      texts.flatMap((text, field) =>
        [...Map.groupBy(tokenize(text ?? ""), ({ form }) => form)].map(([term, words]) =>
          formatOccurrence({
            field,
            term,
            doc,
            encodedLength: encodeLength(countWords(text)),
            positions: words.map(({ position }) => position),
          }),
        ),
      ),
    )
    .sort();

async function listIndexed(
  chunks: ChunkMap,
  segment: { segmentNo: number; firstDoc: number; size: SegmentSize },
): Promise<string[]> {
  const { keys, occurrences } = await dumpSegment(makeStore(chunks), segment);
  expect(findKeyErrors(keys)).toEqual([]);
  return occurrences.map(formatOccurrence).sort();
}

const word = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("boiler", "l'assurance", "getUserById", "10km", "東京タワー", "𝒳𝒴", "🎂", "naïve", "a"),
  },
  { weight: 2, arbitrary: fc.constantFrom("haftpflichtversicherung", "kuendigungsfrist", "responsibilities") },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 9, maxLength: 90 }) },
);
const text = fc.option(fc.array(word, { maxLength: 40 }).map((words) => words.join(" ")));
const documents = (width: number) =>
  fc
    .uniqueArray(fc.record({ doc: fc.nat(3000), texts: fc.array(text, { minLength: width, maxLength: width }) }), {
      minLength: 1,
      maxLength: 40,
      selector: ({ doc }) => doc,
    })
    .map((list) => list.sort((a, b) => a.doc - b.doc));

const neverYield = () => undefined;

it("indexes every word of every document, including lone surrogates", async () => {
  await fc.assert(
    fc.asyncProperty(documents(3), async (list) => {
      const chunks: ChunkMap = new Map();
      const built = await buildSegment(5, 3, list, neverYield);
      built.chunks.forEach(keepIn(chunks));
      const segment = { segmentNo: 5, firstDoc: list[0]!.doc, size: built.size };
      expect(await listIndexed(chunks, segment)).toEqual(listExpected(list));
      expect(built.fieldLengths).toEqual(
        [0, 1, 2].map((field) => list.reduce((sum, { texts }) => sum + countWords(texts[field]), 0)),
      );
    }),
    { numRuns: 60 },
  );
});

it("merges everything but deleted documents, however often it pauses", () =>
  fc.assert(
    fc.asyncProperty(
      documents(2),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(40)),
      fc.boolean(),
      fc.constantFrom(1, 1, 500, 5000, 1_000_000),
      async (list, count, removed, isDisjoint, maxBytes) => {
        const chunks: ChunkMap = new Map();
        const size = Math.ceil(list.length / count);
        const getGroup = (n: number) => (isDisjoint ? Math.floor(n / size) : n % count);
        const groups = Array.from({ length: count }, (_, g) => list.filter((_, n) => getGroup(n) === g)).filter(
          (g) => g.length > 0,
        );
        const tombstones = new Set(removed.flatMap((n) => list[n]?.doc ?? []));
        const inputs: MergeInput[] = [];
        for (const [g, group] of groups.entries()) {
          const built = await buildSegment(g + 1, 2, group, neverYield);
          built.chunks.forEach(keepIn(chunks));
          inputs.push({ segmentNo: g + 1, firstDoc: group[0]!.doc, size: built.size, tombstones });
        }
        const output = { segmentNo: 50, firstDoc: list[0]!.doc };
        let state = startMerge(inputs.map(({ segmentNo }) => segmentNo));
        for (let isDone = false, steps = 0; !isDone; steps += 1) {
          const step = await mergeStep(makeStore(chunks), output, inputs, state, maxBytes, neverYield);
          step.chunks.forEach(keepIn(chunks));
          // The state is stored as JSON between two transactions.
          state = JSON.parse(JSON.stringify(step.state));
          isDone = step.isDone;
          expect(steps).toBeLessThan(5000);
        }
        const left = list.filter(({ doc }) => !tombstones.has(doc));
        expect(await listIndexed(chunks, { ...output, size: state.written })).toEqual(listExpected(left));
      },
    ),
    { numRuns: 60 },
  ));

it("refuses to merge a segment with a missing chunk", async () => {
  const built = await buildSegment(1, 1, [{ doc: 3, texts: ["the boiler is broken"] }], neverYield);
  const mergeWithout = (missing: number, after: string | null) => {
    const chunks: ChunkMap = new Map();
    built.chunks.filter(({ no }) => no !== missing).forEach(keepIn(chunks));
    const inputs = [{ segmentNo: 1, firstDoc: 3, size: built.size, tombstones: new Set<number>() }];
    const state = { ...startMerge([1]), after };
    return mergeStep(makeStore(chunks), { segmentNo: 2, firstDoc: 3 }, inputs, state, 1_000_000, neverYield);
  };
  expect((await mergeWithout(-1, makeKey(0, "a"))).isDone).toBe(true);
  for (const { no } of built.chunks)
    await expect(mergeWithout(no, makeKey(0, "a")), `chunk ${no}`).rejects.toThrow(MissingChunkError);
});
