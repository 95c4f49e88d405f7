import { wordsOf } from "@pdpp/language/words/words";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { WriteTransaction } from "../engine/engine.ts";
import type { Sql } from "../engine/sql.ts";
import { buildSegment, type NewDocument } from "./build-segment.ts";
import { ByteReader, ByteWriter, codedLengths, lengthCode } from "./bytes.ts";
import { bytesIn } from "./chunks.ts";
import { type MergeState, mergeStep } from "./merge-segments.ts";
import { readPositions, readPostings, writePosting } from "./postings.ts";
import {
  backwardKey,
  type Chunk,
  chunkBytes,
  chunkNo,
  type Entry,
  fieldOfKey,
  forwardKey,
  isBackward,
  mayBeCompound,
  nothingWritten,
  parts,
  placeOf,
  readBlock,
  readFence,
  segmentWriter,
  type Written,
} from "./segment.ts";
import type { MergeInput } from "./segment-cursor.ts";

const whole = fc.oneof(
  fc.nat(300),
  fc.maxSafeNat(),
  fc.constantFrom(127, 128, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
);

it("numbers and texts come back as they were written", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(whole, fc.string({ unit: "binary", maxLength: 700 }))), (values) => {
      const writer = new ByteWriter();
      for (const value of values) typeof value === "number" ? writer.number(value) : writer.text(value);
      const bytes = writer.take();
      const reader = new ByteReader(bytes);
      expect(values.map((value) => (typeof value === "number" ? reader.number() : reader.text()))).toEqual(values);
      expect(reader.isAtEnd).toBe(true);
      expect(() => reader.byte()).toThrow(RangeError);
    }),
  );
});

it("coded lengths grow with the length, and are within 3 in a hundred of it", () => {
  let before = 0;
  for (let length = 0; length < 6_000_000; length += Math.max(1, Math.floor(length / 500))) {
    const code = lengthCode(length);
    expect(code).toBeGreaterThanOrEqual(before);
    before = code;
    const coded = codedLengths[code] ?? 0;
    if (length <= 40 * 2 ** (215 / 12)) expect(Math.abs(coded - length)).toBeLessThanOrEqual(0.03 * length);
  }
  expect(lengthCode(Number.MAX_SAFE_INTEGER)).toBe(255);
});

/** What was written of some segments, by number of the chunk. */
type Held = Map<number, Buffer>;

const keep = (held: Held) => (chunk: Chunk) => {
  expect(held.has(chunk.no)).toBe(false);
  expect(chunk.bytes.length).toBeLessThanOrEqual(chunkBytes + 4000);
  held.set(chunk.no, Buffer.from(chunk.bytes));
};

const fenceOf = (held: Held, segmentNo: number, { fenceBytes }: Written): string[] => {
  const chunks: Buffer[] = [];
  for (let n = 0; n * chunkBytes < fenceBytes; n += 1) {
    const chunk = held.get(chunkNo(segmentNo, parts.fence, n));
    if (chunk !== undefined) chunks.push(chunk);
  }
  return readFence(chunks);
};

function entriesOf(held: Held, segmentNo: number, base: number, written: Written): Entry[] {
  const blocks = Array.from({ length: written.blocks }, (_, n) =>
    readBlock(held.get(chunkNo(segmentNo, parts.dictionary, n)) ?? Buffer.alloc(0), base),
  );
  expect(fenceOf(held, segmentNo, written)).toEqual(blocks.map(({ keys }) => keys[0]));
  return blocks.flatMap(({ entries }) => entries);
}

const letters = fc.string({ unit: fc.constantFrom("a", "b", "é", "東", "𝒳", "𝒴", "\u{10ffff}"), maxLength: 8 });
const keys = fc
  .array(fc.tuple(fc.nat(3), fc.constantFrom("", "shared".repeat(9), "𝒳𝒴".repeat(20)), letters), {
    maxLength: 400,
    size: "max",
  })
  .map((list) => [...new Set(list.map(([field, start, end]) => forwardKey(field, `${start}${end}x`)))].sort());

it("a segment has the entries that were written, wherever the writing was paused", () => {
  fc.assert(
    fc.property(keys, fc.nat(1000), fc.array(fc.nat(400)), fc.nat(9000), (list, base, pauses, fat) => {
      const held: Held = new Map();
      let written = nothingWritten;
      let writer = segmentWriter(7, base, written, keep(held));
      const bytesFor = (n: number) => Buffer.alloc(n % 97 === 3 ? fat : 1 + (n % 5), n);
      for (const [n, key] of list.entries()) {
        if (pauses.includes(n)) {
          written = writer.pause();
          writer = segmentWriter(7, base, written, keep(held));
        }
        const count = isBackward(key) ? 0 : 1 + n;
        writer.add({ key, count, first: base + n, last: base + 2 * n }, bytesFor(n), bytesFor(n + 1));
      }
      written = writer.pause();
      const entries = entriesOf(held, 7, base, written);
      expect(entries.map(({ key }) => key)).toEqual(list);
      for (const [n, { count, first, last, postings, positions }] of entries.entries()) {
        expect([count, first, last]).toEqual([1 + n, base + n, base + 2 * n]);
        expect(bytesIn(postings, (i) => held.get(chunkNo(7, parts.postings, i))).equals(bytesFor(n))).toBe(true);
        expect(bytesIn(positions, (i) => held.get(chunkNo(7, parts.positions, i))).equals(bytesFor(n + 1))).toBe(true);
      }
      const fence = fenceOf(held, 7, written);
      for (const key of list) expect(fence[Math.max(0, placeOf(fence, `${key}\u0000`) - 1)]! <= key).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it("postings and positions come back as they were written", () => {
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
          positions.number(place - before);
          before = place;
        }
        return doc;
      });
      const read = readPostings(postings.take(), first, list.length);
      expect([...read.docs]).toEqual(docs);
      expect([...read.times]).toEqual(list.map(({ places }) => places.length));
      expect([...read.lengths]).toEqual(list.map(({ length }) => length));
      const places = readPositions(positions.take(), read.times, (n) => n % 2 === 0);
      expect([...places]).toEqual(list.flatMap((each, n) => (n % 2 === 0 ? [[n, each.places]] : [])));
    }),
  );
});

/** What records say, one line for each word of a field of a record. */
function saidBy(documents: readonly NewDocument[]): string[] {
  return documents
    .flatMap(({ doc, texts }) =>
      texts.flatMap((text, field) => {
        const words = wordsOf(text ?? "");
        const length = lengthCode(Math.max(0, ...words.map(({ position }) => position + 1)));
        return [...Map.groupBy(words, ({ form }) => form)].map(
          ([form, each]) => `${field} ${form} ${doc} ${length} ${each.map(({ position }) => position).join(",")}`,
        );
      }),
    )
    .sort();
}

function saidIn(held: Held, segmentNo: number, base: number, written: Written): string[] {
  const entries = entriesOf(held, segmentNo, base, written);
  const listed = entries.map(({ key }) => key);
  expect(listed).toEqual([...listed].sort());
  const forward = [...new Set(listed.filter((key) => !isBackward(key)))];
  const long = forward.filter((key) => mayBeCompound(key.slice(1)));
  expect(listed.filter(isBackward).sort()).toEqual(
    long.map((key) => backwardKey(fieldOfKey(key), key.slice(1))).sort(),
  );
  return entries
    .filter(({ key }) => !isBackward(key))
    .flatMap(({ key, first, last, count, postings, positions }) => {
      const list = readPostings(
        bytesIn(postings, (n) => held.get(chunkNo(segmentNo, parts.postings, n))),
        first,
        count,
      );
      expect([list.docs[0], list.docs[count - 1]]).toEqual([first, last]);
      const places = readPositions(
        bytesIn(positions, (n) => held.get(chunkNo(segmentNo, parts.positions, n))),
        list.times,
        () => true,
      );
      return [...list.docs].map(
        (doc, n) => `${fieldOfKey(key)} ${key.slice(1)} ${doc} ${list.lengths[n]} ${(places.get(n) ?? []).join(",")}`,
      );
    })
    .sort();
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
const said = fc.option(fc.array(word, { maxLength: 40 }).map((words) => words.join(" ")));
const documents = (width: number) =>
  fc
    .uniqueArray(fc.record({ doc: fc.nat(3000), texts: fc.array(said, { minLength: width, maxLength: width }) }), {
      minLength: 1,
      maxLength: 40,
      selector: ({ doc }) => doc,
    })
    .map((list) => list.sort((a, b) => a.doc - b.doc));

it("a built segment says what its records say, lone surrogates and all", async () => {
  await fc.assert(
    fc.asyncProperty(documents(3), async (list) => {
      const held: Held = new Map();
      const { chunks, written, lengths } = await buildSegment(5, 3, list);
      chunks.forEach(keep(held));
      expect(saidIn(held, 5, list[0]!.doc, written)).toEqual(saidBy(list));
      const longest = (text: string | null | undefined) =>
        Math.max(0, ...wordsOf(text ?? "").map(({ position }) => position + 1));
      expect(lengths).toEqual(
        [0, 1, 2].map((field) => list.reduce((sum, { texts }) => sum + longest(texts[field]), 0)),
      );
    }),
    { numRuns: 60 },
  );
});

/** As much of a database as a merge asks for. */
function memory(held: Held): WriteTransaction {
  const all = async <T>({ values }: Sql): Promise<T[]> => {
    const [, from, to] = values as number[];
    return [...held]
      .filter(([no]) => no >= from! && no <= to!)
      .sort(([a], [b]) => a - b)
      .map(([chunk_no, bytes]) => ({ chunk_no, bytes }) as T);
  };
  return {
    all,
    allCached: all,
    one: async <T>(query: Sql) => (await all<T>(query))[0],
    run: async () => 0,
    insert: async (_table, _columns, rows) => {
      for (const [no, , bytes] of rows) keep(held)({ no: no as number, bytes: bytes as Uint8Array });
    },
  };
}

it("a merge says what its segments say but for what is gone, however often it is paused", () =>
  fc.assert(
    fc.asyncProperty(
      documents(2),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat(40)),
      fc.boolean(),
      fc.constantFrom(1, 1, 500, 5000, 1_000_000),
      async (list, count, removed, areApart, mostBytes) => {
        const held: Held = new Map();
        const size = Math.ceil(list.length / count);
        const placeFor = (n: number) => (areApart ? Math.floor(n / size) : n % count);
        const groups = Array.from({ length: count }, (_, g) => list.filter((_, n) => placeFor(n) === g)).filter(
          (g) => g.length > 0,
        );
        const gone = new Set(removed.flatMap((n) => list[n]?.doc ?? []));
        const inputs: MergeInput[] = [];
        for (const [g, group] of groups.entries()) {
          const { chunks, written } = await buildSegment(g + 1, 2, group);
          chunks.forEach(keep(held));
          inputs.push({ segmentNo: g + 1, firstDoc: group[0]!.doc, written, gone });
        }
        const output = { segmentNo: 50, firstDoc: list[0]!.doc };
        let state: MergeState = { inputs: [], after: null, written: nothingWritten, dropped: [] };
        for (let isDone = false, steps = 0; !isDone; steps += 1) {
          const step = await mergeStep(memory(held), 1, output, inputs, state, mostBytes);
          // As it is kept between two transactions.
          state = JSON.parse(JSON.stringify(step.state));
          isDone = step.isDone;
          expect(steps).toBeLessThan(5000);
        }
        const left = list.filter(({ doc }) => !gone.has(doc));
        expect(saidIn(held, 50, output.firstDoc, state.written)).toEqual(saidBy(left));
      },
    ),
    { numRuns: 60 },
  ));
