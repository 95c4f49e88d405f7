import type { Source, YieldIfDue } from "../ports.ts";
import type { PostingList } from "../query/posting-lists.ts";
import type { ClauseGroups } from "../query/query-plan.ts";
import { decodedLengths } from "../segment/field-length.ts";
import { createDocSlots, type DocSlots } from "./doc-slots.ts";
import { computeLengthNorms, type LengthNorms } from "./length-norms.ts";

export interface SourceMatches {
  readonly source: Source;
  readonly sourceNo: number;
  /** The document of each slot. */
  readonly docs: readonly number[];
  /** For each clause, the documents that match it. */
  readonly wanted: readonly ClauseMatches[];
  readonly runs: readonly ClauseMatches[];
  /** For each clause, the lists that its matches are from. */
  readonly lists: readonly (readonly PostingList[])[];
  readonly norms: LengthNorms;
  /** The number of words in each document, as far as the posting lists tell. */
  computeLengths(): Float64Array;
}

export interface ClauseMatches {
  readonly slots: Int32Array;
  /** For each slot: the frequency of the clause, weighted by term, field and length. */
  readonly frequencies: Float64Array;
}

export interface CollectOptions {
  /** Documents with higher numbers were added later and do not match. */
  readonly maxDoc: number;
  throwIfStopped(): void;
  readonly yieldIfDue: YieldIfDue;
}

/** Collects the documents of one source that match any wanted clause and no excluded one. Null if nothing matches. */
export async function collectMatches(
  { maxDoc, throwIfStopped, yieldIfDue }: CollectOptions,
  source: Source,
  sourceNo: number,
  lists: ClauseGroups<readonly PostingList[]>,
  isVisible: ((doc: number) => boolean) | undefined,
): Promise<SourceMatches | null> {
  const filterOwn = (each: readonly PostingList[]) => each.filter((list) => list.source === sourceNo);
  const wanted = lists.wanted.map(filterOwn);
  const all = wanted.flat();
  const postingCount = countPostings(all);
  if (postingCount === 0) return null;
  const pause = async () => {
    throwIfStopped();
    const pausing = yieldIfDue();
    if (pausing !== undefined) await pausing;
  };
  const slots = createDocSlots(all, postingCount);
  for (const { docs, segment } of all) {
    for (let i = 0; i < docs.length; i += 1) {
      const doc = docs[i] ?? 0;
      if (doc <= maxDoc && segment.tombstones?.has(doc) !== true) slots.add(doc);
    }
    await pause();
  }
  if (isVisible !== undefined) for (const doc of slots.docs) if (!isVisible(doc)) slots.remove(doc);
  for (const { docs, segment } of lists.excluded.flatMap(filterOwn))
    for (const doc of docs) if (segment.tombstones?.has(doc) !== true) slots.remove(doc);
  const norms = computeLengthNorms(source, all, (doc) => slots.getSlot(doc) >= 0);
  const marks = new Int32Array(slots.docs.length);
  const matches: ClauseMatches[] = [];
  for (const each of wanted) {
    matches.push(collectClause(each, slots, norms, marks));
    await pause();
  }
  return {
    source,
    sourceNo,
    docs: slots.docs,
    wanted: matches,
    lists: wanted,
    norms,
    runs: lists.runs.map((each) => collectClause(filterOwn(each), slots, norms, marks)),
    computeLengths: () => computeLengths(all, slots),
  };
}

export const countPostings = (lists: readonly PostingList[]): number =>
  lists.reduce((sum, { docs }) => sum + docs.length, 0);

export function computeLengths(lists: readonly PostingList[], slots: Pick<DocSlots, "docs" | "getSlot">): Float64Array {
  const lengths = new Float64Array(slots.docs.length);
  for (const list of lists) {
    for (let i = 0; i < list.docs.length; i += 1) {
      const doc = list.docs[i] ?? 0;
      const slot = list.segment.tombstones?.has(doc) === true ? -1 : slots.getSlot(doc);
      const length = decodedLengths[list.lengths[i] ?? 0] ?? 0;
      if (slot >= 0 && length > (lengths[slot] ?? 0)) lengths[slot] = length;
    }
  }
  return lengths;
}

/** Terms repeated more often than this do not make a document a better match. */
export const maxFrequency = 100;

/** Adds up the lists of one clause. `marks` has a 0 for each slot, before and after. */
export function collectClause(
  lists: readonly PostingList[],
  slots: Pick<DocSlots, "docs" | "getSlot">,
  norms: LengthNorms,
  marks: Int32Array,
): ClauseMatches {
  const maxMatches = Math.min(countPostings(lists), slots.docs.length);
  const matched = new Int32Array(maxMatches);
  const sums = new Float64Array(maxMatches);
  let count = 0;
  for (const { docs, frequencies, lengths, field, weight, segment } of lists) {
    const norm = norms.get(field);
    if (norm === undefined) throw new RangeError(`Field ${field} has no length norm.`);
    const { tombstones } = segment;
    for (let i = 0; i < docs.length; i += 1) {
      const doc = docs[i] ?? 0;
      const slot = slots.getSlot(doc);
      if (slot < 0 || tombstones?.has(doc)) continue;
      const frequency = weight * Math.min(frequencies[i] ?? 0, maxFrequency) * (norm[lengths[i] ?? 0] ?? 0);
      // A document has several postings if it contains several terms of the clause, or one in several fields.
      const previous = (marks[slot] ?? 0) - 1;
      if (previous >= 0) sums[previous] = (sums[previous] ?? 0) + frequency;
      else {
        matched[count] = slot;
        sums[count] = frequency;
        count += 1;
        marks[slot] = count;
      }
    }
  }
  for (let i = 0; i < count; i += 1) marks[matched[i] ?? 0] = 0;
  return { slots: matched.subarray(0, count), frequencies: sums.subarray(0, count) };
}
