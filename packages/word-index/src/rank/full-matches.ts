import type { Source } from "../ports.ts";
import type { PostingList } from "../query/posting-lists.ts";
import type { ClauseGroups } from "../query/query-plan.ts";
import { requireItem } from "../require-item.ts";
import { collectClause, computeLengths, countPostings, maxFrequency, type SourceMatches } from "./collector.ts";
import { type DocSlots, maxArraySpan } from "./doc-slots.ts";
import { computeLengthNorms, type LengthNorms } from "./length-norms.ts";
import { canGainFromNeighbours } from "./neighbours.ts";

/**
 * For bare words, documents with all of them come first. If there are enough of these for a page, only they are ranked. The others
 * are counted by a byte for each document: the set of clauses that it matches.
 */

export interface FullMatches {
  readonly matches: readonly SourceMatches[];
  /** For each clause, how many documents match it. */
  readonly docCounts: readonly number[];
  /** By number of clauses: how many documents match that many, but not all. */
  readonly partialCounts: readonly number[];
}

interface FullMatchOptions {
  readonly sources: readonly Source[];
  readonly maxDoc: number;
  throwIfStopped(): void;
}

/** The clauses are bits of a byte. */
const maxClauses = 8;
/** A document takes a byte, so documents that are far apart are not worth it. */
const maxBytesPerPosting = 200;

/** Undefined if fewer than `enough` documents match all clauses, or if their order may depend on more than their own words. */
export function collectFullMatches(
  { sources, maxDoc, throwIfStopped }: FullMatchOptions,
  { wanted, excluded, runs }: ClauseGroups<readonly PostingList[]>,
  enough: number,
): FullMatches | undefined {
  if (wanted.length < 2 || wanted.length > maxClauses || excluded.length > 0 || runs.length > 0) return undefined;
  if (!sources.every(isRankedByWordsAlone)) return undefined;
  const all = 2 ** wanted.length - 1;
  const counts = new Int32Array(all + 1);
  const marked: MarkedSource[] = [];
  for (const sourceNo of sources.keys()) {
    const lists = wanted.map((each) => each.filter((list) => list.source === sourceNo));
    const span = getSpan(lists.flat());
    if (span === undefined) continue;
    const size = span.last - span.first + 1;
    if (size > Math.min(maxArraySpan, maxBytesPerPosting * countPostings(lists.flat()))) return undefined;
    const marks = new Uint8Array(size);
    for (const [clause, each] of lists.entries()) {
      throwIfStopped();
      for (const list of each) markDocs(list, 2 ** clause, maxDoc, { marks, firstDoc: span.first, counts });
    }
    marked.push({ sourceNo, lists, marks, firstDoc: span.first });
  }
  if ((counts[all] ?? 0) < enough) return undefined;
  const matches: SourceMatches[] = [];
  for (const each of marked) {
    throwIfStopped();
    const own = collectMarked(requireItem(sources[each.sourceNo]), each, all);
    if (own === undefined) continue;
    if (hasGainingDoc(own)) return undefined;
    matches.push(own);
  }
  return {
    matches,
    docCounts: wanted.map((_, clause) => countDocs(counts, (clauses) => (clauses & (2 ** clause)) !== 0)),
    partialCounts: wanted.map((_, size) =>
      size === 0 ? 0 : countDocs(counts, (clauses) => clauses !== all && countBits(clauses) === size),
    ),
  };
}

/** Whether every document may be counted, and no document counts less than others. */
const isRankedByWordsAlone = ({ visibility }: Source): boolean =>
  visibility.isComplete && !visibility.isFiltered && visibility.findGenerated === undefined;

/** Whether a document of a conversation may score higher because of its neighbours. */
function hasGainingDoc(matches: SourceMatches): boolean {
  const { source, docs, lists, norms } = matches;
  if (source.visibility.loadNextTurns === undefined) return false;
  const maxFrequencies = lists.map((each) => boundFrequency(each, norms));
  return canGainFromNeighbours(matches, [...docs.keys()], matches.computeLengths(), maxFrequencies);
}

/** At least the frequency of a clause in any document, also in those that do not match the other clauses. */
function boundFrequency(lists: readonly PostingList[], norms: LengthNorms): number {
  let bound = 0;
  for (const own of Map.groupBy(lists, ({ segment }) => segment).values()) {
    // A document is in at most one of several lists that follow each other.
    const rows: { lastDoc: number; frequency: number }[] = [];
    for (const list of own.toSorted((a, b) => (a.docs[0] ?? 0) - (b.docs[0] ?? 0))) {
      const frequency = findMaxFrequency(list, norms);
      const lastDoc = list.docs.at(-1) ?? 0;
      const row = rows.find((each) => each.lastDoc < (list.docs[0] ?? 0));
      if (row === undefined) rows.push({ lastDoc, frequency });
      else Object.assign(row, { lastDoc, frequency: Math.max(row.frequency, frequency) });
    }
    bound = Math.max(
      bound,
      rows.reduce((sum, { frequency }) => sum + frequency, 0),
    );
  }
  return bound;
}

function findMaxFrequency({ frequencies, lengths, field, weight }: PostingList, norms: LengthNorms): number {
  const norm = norms.get(field) ?? new Float64Array();
  let max = 0;
  for (let i = 0; i < frequencies.length; i += 1)
    max = Math.max(max, weight * Math.min(frequencies[i] ?? 0, maxFrequency) * (norm[lengths[i] ?? 0] ?? 0));
  return max;
}

function getSpan(lists: readonly PostingList[]): { first: number; last: number } | undefined {
  let span: { first: number; last: number } | undefined;
  for (const { docs } of lists) {
    const [first, last] = [docs[0], docs.at(-1)];
    if (first === undefined || last === undefined) continue;
    span = { first: Math.min(first, span?.first ?? first), last: Math.max(last, span?.last ?? last) };
  }
  return span;
}

interface MarkedSource {
  readonly sourceNo: number;
  /** By clause. */
  readonly lists: readonly (readonly PostingList[])[];
  /** By document, from `firstDoc`: the set of clauses that it matches. */
  readonly marks: Uint8Array;
  readonly firstDoc: number;
}

interface Marking extends Pick<MarkedSource, "marks" | "firstDoc"> {
  /** By set of clauses, the documents that match it. Only those of sets that are not empty are right. */
  readonly counts: Int32Array;
}

function markDocs(
  { docs, segment: { tombstones } }: PostingList,
  clause: number,
  maxDoc: number,
  { marks, firstDoc, counts }: Marking,
): void {
  for (let i = 0; i < docs.length; i += 1) {
    const doc = docs[i] ?? 0;
    if (doc > maxDoc || tombstones?.has(doc) === true) continue;
    const before = marks[doc - firstDoc] ?? 0;
    const after = before | clause;
    if (after === before) continue;
    marks[doc - firstDoc] = after;
    counts[before] = (counts[before] ?? 0) - 1;
    counts[after] = (counts[after] ?? 0) + 1;
  }
}

function countDocs(counts: Int32Array, isCounted: (clauses: number) => boolean): number {
  let sum = 0;
  for (let clauses = 1; clauses < counts.length; clauses += 1) if (isCounted(clauses)) sum += counts[clauses] ?? 0;
  return sum;
}

function countBits(set: number): number {
  let count = 0;
  for (let left = set; left > 0; left &= left - 1) count += 1;
  return count;
}

function collectMarked(
  source: Source,
  { sourceNo, lists, marks, firstDoc }: MarkedSource,
  all: number,
): SourceMatches | undefined {
  const own = lists.map((each) => each.map((list) => keepMarked(list, marks, firstDoc, all)));
  const slots = createSlots(own);
  if (slots.docs.length === 0) return undefined;
  const norms = computeLengthNorms(source, lists.flat(), () => true);
  const places = new Int32Array(slots.docs.length);
  return {
    source,
    sourceNo,
    docs: slots.docs,
    wanted: own.map((each) => collectClause(each, slots, norms, places)),
    lists,
    norms,
    runs: [],
    computeLengths: () => computeLengths(own.flat(), slots),
  };
}

/** The postings of documents that match these clauses. */
function keepMarked(list: PostingList, marks: Uint8Array, firstDoc: number, clauses: number): PostingList {
  const kept: number[] = [];
  const { docs, frequencies, lengths } = list;
  for (let i = 0; i < docs.length; i += 1) if (marks[(docs[i] ?? 0) - firstDoc] === clauses) kept.push(i);
  return {
    ...list,
    docs: Float64Array.from(kept, (i) => docs[i] ?? 0),
    frequencies: Uint32Array.from(kept, (i) => frequencies[i] ?? 0),
    lengths: Uint8Array.from(kept, (i) => lengths[i] ?? 0),
  };
}

/** Slots for the documents of these lists. They have all clauses, so one clause has all of them. */
function createSlots([first = []]: readonly (readonly PostingList[])[]): Pick<DocSlots, "docs" | "getSlot"> {
  const slots = new Map<number, number>();
  for (const { docs } of first) for (const doc of docs) if (!slots.has(doc)) slots.set(doc, slots.size);
  return { docs: [...slots.keys()], getSlot: (doc) => slots.get(doc) ?? -1 };
}
