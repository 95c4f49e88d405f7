import type { Segment } from "../ports.ts";
import type { Entry } from "../segment/dictionary.ts";
import { type ByteRange, parts } from "../segment/layout.ts";
import { type Postings, readPostings } from "../segment/posting-list.ts";
import type { ClausePlan } from "./clause-plan.ts";
import type { SegmentRange } from "./dictionary-reader.ts";
import { matchPhrase, type PhraseWord } from "./match-phrase.ts";
import type { SegmentPhrase, SegmentTerm } from "./term-lookup.ts";

/** The documents that contain a term or a phrase in one field of one segment. */
export interface PostingList extends Postings {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly weight: number;
  /** Where its positions are; missing for a phrase. */
  readonly positions?: ByteRange;
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
    for (const entry of term.entries)
      lists.push({ ...getPlace(term), positions: entry.positions, ...decodePostings(entry, takeBytes()) });
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

function decodePhrase(phrase: SegmentPhrase, takeBytes: () => Buffer): PostingList | undefined {
  const words = phrase.words.map((entries): PhraseWord => {
    const lists = entries.map((entry) => decodePostings(entry, takeBytes()));
    return lists.map((postings) => ({ postings, positions: takeBytes() }));
  });
  const matches = matchPhrase(words);
  return matches && { ...getPlace(phrase), ...matches };
}
