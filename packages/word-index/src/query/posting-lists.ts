import type { Segment } from "../ports.ts";
import type { Entry } from "../segment/dictionary.ts";
import { parts } from "../segment/layout.ts";
import { type Postings, readPositions, readPostings } from "../segment/posting-list.ts";
import type { ClausePlan } from "./clause-plan.ts";
import type { SegmentRange } from "./dictionary-reader.ts";
import type { SegmentPhrase, SegmentTerm } from "./term-lookup.ts";

/** The documents that contain a term or a phrase in one field of one segment. */
export interface PostingList extends Postings {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly weight: number;
}

type Planned = Pick<ClausePlan, "terms" | "phrases">;

/** The ranges to read for a clause, in the order in which `decodePostingLists` takes their bytes. */
export function listPostingRanges({ terms, phrases }: Planned): SegmentRange[] {
  const ranges: SegmentRange[] = [];
  const addPostings = (segment: Segment, entries: readonly Entry[]) => {
    for (const { postings } of entries) ranges.push({ segment, part: parts.postings, range: postings });
  };
  for (const { segment, entries } of terms) addPostings(segment, entries);
  for (const { segment, words } of phrases) {
    for (const entries of words) {
      addPostings(segment, entries);
      for (const { positions } of entries) ranges.push({ segment, part: parts.positions, range: positions });
    }
  }
  return ranges;
}

export function decodePostingLists(
  { terms, phrases }: Planned,
  bytes: Iterator<Buffer>,
  throwIfStopped: () => void,
): PostingList[] {
  const takeBytes = (): Buffer => {
    const next = bytes.next();
    if (next.done) throw new RangeError("Fewer posting lists were loaded than planned.");
    return next.value;
  };
  const lists: PostingList[] = [];
  for (const term of terms) {
    throwIfStopped();
    for (const entry of term.entries) lists.push({ ...getPlace(term), ...decodePostings(entry, takeBytes()) });
  }
  for (const phrase of phrases) {
    throwIfStopped();
    const list = decodePhrase(phrase, takeBytes);
    if (list !== undefined) lists.push(list);
  }
  return lists;
}

const getPlace = ({ source, segment, field, weight }: SegmentTerm | SegmentPhrase) => ({
  source,
  segment,
  field,
  weight,
});

const decodePostings = ({ firstDoc, docCount }: Entry, bytes: Buffer): Postings =>
  readPostings(bytes, firstDoc, docCount);

interface PhraseWord {
  readonly lists: readonly Postings[];
  readonly positions: readonly Buffer[];
}

function decodePhrase(phrase: SegmentPhrase, takeBytes: () => Buffer): PostingList | undefined {
  const words = phrase.words.map((entries): PhraseWord => {
    const lists = entries.map((entry) => decodePostings(entry, takeBytes()));
    return { lists, positions: entries.map(takeBytes) };
  });
  const common = intersectDocs(words.map(({ lists }) => lists.flatMap(({ docs }) => [...docs])));
  if (common.size === 0) return undefined;
  const positions = words.map((word) => readWordPositions(word, common));
  const docs: number[] = [];
  const frequencies: number[] = [];
  const lengths: number[] = [];
  for (const list of words[0]?.lists ?? []) {
    for (let n = 0; n < list.docs.length; n += 1) {
      const doc = list.docs[n] ?? 0;
      if (!common.has(doc)) continue;
      const frequency = countConsecutive(positions.map((byDoc) => byDoc.get(doc) ?? []));
      if (frequency === 0) continue;
      docs.push(doc);
      frequencies.push(frequency);
      lengths.push(list.lengths[n] ?? 0);
    }
  }
  if (docs.length === 0) return undefined;
  return {
    ...getPlace(phrase),
    docs: Float64Array.from(docs),
    frequencies: Uint32Array.from(frequencies),
    lengths: Uint8Array.from(lengths),
  };
}

function intersectDocs(lists: readonly (readonly number[])[]): ReadonlySet<number> {
  const [shortest, ...others] = [...lists].sort((a, b) => a.length - b.length);
  let common = new Set(shortest);
  for (const list of others) {
    const kept = new Set<number>();
    for (const doc of list) if (common.has(doc)) kept.add(doc);
    common = kept;
  }
  return common;
}

function readWordPositions(
  { lists, positions }: PhraseWord,
  wanted: ReadonlySet<number>,
): Map<number, readonly number[]> {
  const byDoc = new Map<number, readonly number[]>();
  for (const [i, { docs, frequencies }] of lists.entries()) {
    const bytes = positions[i];
    if (bytes === undefined) throw new RangeError("Fewer position lists were loaded than planned.");
    const found = readPositions(bytes, frequencies, (n) => wanted.has(docs[n] ?? 0));
    for (const [n, each] of found) byDoc.set(docs[n] ?? 0, each);
  }
  return byDoc;
}

/** How often the words follow each other, given the positions of each. */
function countConsecutive([first = [], ...others]: readonly (readonly number[])[]): number {
  const sets = others.map((positions) => new Set(positions));
  return first.filter((position) => sets.every((positions, n) => positions.has(position + n + 1))).length;
}
