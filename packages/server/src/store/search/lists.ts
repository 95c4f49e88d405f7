import type { PhraseTerm, Term } from "./dictionary.ts";
import type { Segment, WantedBytes } from "./index-reader.ts";
import { readPositions, readPostings } from "./postings.ts";
import { type Entry, parts } from "./segment.ts";
import type { FoundClause } from "./terms.ts";

/** The records of terms and phrases, read and taken apart. */

/** Records that have a word (or a phrase) in one field of one segment, and how often. */
export interface RecordList {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly weight: number;
  readonly docs: Float64Array;
  readonly times: Uint32Array;
  readonly lengths: Uint8Array;
}

/** What must be read for a clause, in the order in which `listsOf` takes it. */
export function bytesFor({ terms, phrases }: FoundClause): WantedBytes[] {
  const postings = (segment: Segment) => (entry: Entry) => ({ segment, part: parts.postings, range: entry.postings });
  const positions = (segment: Segment) => (entry: Entry) => ({
    segment,
    part: parts.positions,
    range: entry.positions,
  });
  return [
    ...terms.flatMap(({ segment, entries }) => entries.map(postings(segment))),
    ...phrases.flatMap(({ segment, words }) =>
      words.flatMap((entries) => [...entries.map(postings(segment)), ...entries.map(positions(segment))]),
    ),
  ];
}

export function listsOf(
  { terms, phrases }: FoundClause,
  bytes: Iterator<Buffer>,
  stillWanted: () => void = () => undefined,
): RecordList[] {
  const next = (): Buffer => {
    const { value } = bytes.next();
    return value ?? Buffer.alloc(0);
  };
  return [
    ...terms.flatMap((term) => {
      stillWanted();
      return term.entries.map((entry) => ({ ...placeOf(term), ...listOf(entry, next()) }));
    }),
    ...phrases.flatMap((phrase) => {
      stillWanted();
      return phraseList(phrase, next);
    }),
  ];
}

const placeOf = ({ source, segment, field, weight }: Term | PhraseTerm) => ({ source, segment, field, weight });

const listOf = ({ first, count }: Entry, bytes: Buffer) => readPostings(bytes, first, count);

function phraseList(phrase: PhraseTerm, next: () => Buffer): RecordList[] {
  const words = phrase.words.map((entries) => {
    const lists = entries.map((entry) => listOf(entry, next()));
    const positions = entries.map(() => next());
    return { lists, positions };
  });
  const common = commonDocs(words.map(({ lists }) => lists.flatMap(({ docs }) => [...docs])));
  if (common.size === 0) return [];
  const places = words.map(({ lists, positions }) => placesOf(lists, positions, common));
  const [first] = words;
  const docs: number[] = [];
  const times: number[] = [];
  const lengths: number[] = [];
  for (const list of first?.lists ?? []) {
    for (let n = 0; n < list.docs.length; n += 1) {
      const doc = list.docs[n] ?? 0;
      if (!common.has(doc)) continue;
      const often = inARow(places.map((of) => of.get(doc) ?? []));
      if (often === 0) continue;
      docs.push(doc);
      times.push(often);
      lengths.push(list.lengths[n] ?? 0);
    }
  }
  if (docs.length === 0) return [];
  return [
    {
      ...placeOf(phrase),
      docs: Float64Array.from(docs),
      times: Uint32Array.from(times),
      lengths: Uint8Array.from(lengths),
    },
  ];
}

/** The records that all lists have; the shortest one says which they can be. */
function commonDocs(lists: readonly (readonly number[])[]): ReadonlySet<number> {
  const [shortest, ...others] = [...lists].sort((a, b) => a.length - b.length);
  let common = new Set(shortest);
  for (const list of others) {
    const kept = new Set<number>();
    for (const doc of list) if (common.has(doc)) kept.add(doc);
    common = kept;
  }
  return common;
}

function placesOf(
  lists: readonly ReturnType<typeof readPostings>[],
  positions: readonly Buffer[],
  wanted: ReadonlySet<number>,
): Map<number, readonly number[]> {
  const places = new Map<number, readonly number[]>();
  for (const [i, { docs, times }] of lists.entries()) {
    const found = readPositions(positions[i] ?? Buffer.alloc(0), times, (n) => wanted.has(docs[n] ?? 0));
    for (const [n, of] of found) places.set(docs[n] ?? 0, of);
  }
  return places;
}

/** How often words stand one behind the other, by the places of each. */
function inARow([first = [], ...others]: readonly (readonly number[])[]): number {
  const sets = others.map((places) => new Set(places));
  return first.filter((place) => sets.every((places, n) => places.has(place + n + 1))).length;
}
