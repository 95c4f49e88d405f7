import type { AdjacentPair } from "@pdpp/language/query/query";
import type { SegmentRange } from "../query/dictionary-reader.ts";
import { findDoc } from "../query/match-phrase.ts";
import type { PostingList } from "../query/posting-lists.ts";
import { requireItem } from "../require-item.ts";
import { parts } from "../segment/layout.ts";
import { PositionReader } from "../segment/posting-list.ts";
import type { ClauseMatches, SourceMatches } from "./collector.ts";

/** Finds documents in which two adjacent words of the query are adjacent too. Reads positions of few documents only. */

/** Loads the bytes of these ranges. Null if that needs more reading than allowed. */
export type RangeLoader = (ranges: readonly SegmentRange[]) => Promise<readonly Buffer[] | null>;

/** The word itself and its inflections, but neither compounds nor guesses. */
const minWeight = 0.9;

/** For each pair, the frequency in those of these slots that have it. Null if the loader refused. */
export async function matchAdjacentWords(
  { docs, lists, norms }: SourceMatches,
  pairs: readonly AdjacentPair[],
  slots: readonly number[],
  load: RangeLoader,
): Promise<ClauseMatches[] | null> {
  const sorted = slots.toSorted((a, b) => (docs[a] ?? 0) - (docs[b] ?? 0));
  const candidates = sorted.map((slot) => docs[slot] ?? 0);
  const places = [...groupByPlace(lists, pairs, candidates).values()];
  for (const place of places) for (const pair of pairs) markPair(place, pair, candidates.length);
  const read = places.flatMap((place) => [...place.values()].flat()).filter(({ isNeeded }) => isNeeded);
  if (read.length === 0) return pairs.map(() => ({ slots: new Int32Array(0), frequencies: new Float64Array(0) }));
  const bytes = await load(read.map(({ list }) => getPositionRange(list)));
  if (bytes === null) return null;
  for (const [n, word] of read.entries()) readPositions(word, requireItem(bytes[n]));
  return pairs.map((pair) => {
    const sums = new Float64Array(candidates.length);
    for (const place of places) {
      const [firsts, seconds] = [place.get(pair[0]), place.get(pair[1])];
      if (firsts === undefined || seconds === undefined) continue;
      const { field } = requireItem(firsts[0]).list;
      const norm = norms.get(field);
      if (norm === undefined) throw new RangeError(`Field ${field} has no length norm.`);
      for (let n = 0; n < candidates.length; n += 1) {
        const first = findPositions(firsts, n);
        const second = first && findPositions(seconds, n);
        const count = first && second ? countAdjacent(first, second) : 0;
        if (count > 0) sums[n] = (sums[n] ?? 0) + count * (norm[getLength(firsts, n)] ?? 0);
      }
    }
    const found = sorted.flatMap((_, n) => ((sums[n] ?? 0) > 0 ? [n] : []));
    return {
      slots: Int32Array.from(found, (n) => sorted[n] ?? 0),
      frequencies: Float64Array.from(found, (n) => sums[n] ?? 0),
    };
  });
}

/** One form of a word in one field of one segment. */
interface WordForm {
  readonly list: PostingList;
  /** By candidate: its posting; -1 if it has none. */
  readonly postings: Int32Array;
  /** By candidate, whether it has the other word too: 1 if its positions must be read. */
  readonly wanted: Uint8Array;
  isNeeded: boolean;
  /** By candidate. */
  readonly positions: (Uint32Array | undefined)[];
}

/** The forms of each clause in one field of one segment. */
type Place = Map<number, WordForm[]>;

function groupByPlace(
  lists: readonly (readonly PostingList[])[],
  pairs: readonly AdjacentPair[],
  candidates: readonly number[],
): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const clause of new Set(pairs.flat())) {
    for (const list of lists[clause] ?? []) {
      const postings =
        list.positions === undefined || list.weight < minWeight ? undefined : findPostings(list, candidates);
      if (postings === undefined) continue;
      const key = `${list.segment.no} ${list.field}`;
      const place = places.get(key) ?? new Map<number, WordForm[]>();
      places.set(key, place);
      const form = { list, postings, wanted: new Uint8Array(postings.length), isNeeded: false, positions: [] };
      const held = place.get(clause);
      if (held === undefined) place.set(clause, [form]);
      else held.push(form);
    }
  }
  return places;
}

/** The posting of each candidate; undefined if none has one. */
function findPostings({ docs, segment }: PostingList, candidates: readonly number[]): Int32Array | undefined {
  const last = docs[docs.length - 1] ?? 0;
  if ((candidates[0] ?? 0) > last || (candidates.at(-1) ?? 0) < (docs[0] ?? 0)) return undefined;
  const postings = new Int32Array(candidates.length).fill(-1);
  let isFound = false;
  let posting = 0;
  for (const [n, doc] of candidates.entries()) {
    if (doc > last) break;
    posting = findDoc(docs, doc, posting);
    if (docs[posting] !== doc || segment.tombstones?.has(doc) === true) continue;
    postings[n] = posting;
    isFound = true;
  }
  return isFound ? postings : undefined;
}

const hasCandidate = (forms: readonly WordForm[], n: number): boolean => {
  for (const { postings } of forms) if ((postings[n] ?? -1) >= 0) return true;
  return false;
};

/** Marks the candidates whose positions are needed for a pair: those that have both words. */
function markPair(place: Place, [first, second]: AdjacentPair, count: number): void {
  const [firsts, seconds] = [place.get(first), place.get(second)];
  if (firsts === undefined || seconds === undefined) return;
  const forms = [...firsts, ...seconds];
  for (let n = 0; n < count; n += 1) {
    if (!hasCandidate(firsts, n) || !hasCandidate(seconds, n)) continue;
    for (const form of forms) {
      if ((form.postings[n] ?? -1) < 0) continue;
      form.wanted[n] = 1;
      form.isNeeded = true;
    }
  }
}

function readPositions({ list, postings, wanted, positions }: WordForm, bytes: Buffer): void {
  const reader = new PositionReader(bytes, list);
  for (let n = 0; n < wanted.length; n += 1) if (wanted[n] === 1) positions[n] = reader.read(postings[n] ?? 0);
}

function getPositionRange({ segment, positions }: PostingList): SegmentRange {
  if (positions === undefined) throw new RangeError("A phrase has no positions.");
  return { segment, part: parts.positions, range: positions };
}

/** Where a candidate has any of these forms, in ascending order. */
function findPositions(forms: readonly WordForm[], n: number): Uint32Array | undefined {
  let found: Uint32Array | undefined;
  for (const { positions } of forms) {
    const own = positions[n];
    if (own !== undefined) found = found === undefined ? own : Uint32Array.from([...found, ...own]).sort();
  }
  return found;
}

/** The encoded length of the candidate's field. */
function getLength(forms: readonly WordForm[], n: number): number {
  for (const { list, postings } of forms) {
    const posting = postings[n] ?? -1;
    if (posting >= 0) return list.lengths[posting] ?? 0;
  }
  return 0;
}

/** How often the second word follows the first directly. */
function countAdjacent(firsts: Uint32Array, seconds: Uint32Array): number {
  let count = 0;
  let n = 0;
  for (const position of firsts) {
    while ((seconds[n] ?? Number.POSITIVE_INFINITY) <= position) n += 1;
    if (seconds[n] === position + 1) count += 1;
  }
  return count;
}
