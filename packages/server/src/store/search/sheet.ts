import { setImmediate as turn } from "node:timers/promises";
import { canRead } from "../access/scope.ts";
import type { Dialect, ReadTransaction } from "../engine/engine.ts";
import { codedLengths } from "./bytes.ts";
import type { Segment } from "./index-reader.ts";
import type { RecordList } from "./lists.ts";
import type { Source } from "./sources.ts";

/** What each source has of a question, record by record. */

const mostOccurrences = 100;

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0);

/** What a source has of the question: its records, and what each clause weighs in each. */
export interface Sheet {
  readonly source: Source;
  readonly docs: readonly number[];
  /** By wanted clause, and by run of the question. */
  readonly shares: readonly Share[];
  readonly runs: readonly Share[];
  /** How many words each record has, as far as what was found tells. */
  lengths(): Float64Array;
}

/** The records that have a clause, by their place in the sheet, and how strongly. */
export interface Share {
  readonly places: Int32Array;
  readonly density: Float64Array;
}

const yieldAfter = 200_000;

/** The lists of what is wanted, of what is excluded, and of the runs of the question. */
export interface Lists {
  readonly wanted: readonly (readonly RecordList[])[];
  readonly excluded: readonly (readonly RecordList[])[];
  readonly runs: readonly (readonly RecordList[])[];
}

export interface Searching {
  readonly on: ReadTransaction;
  readonly dialect: Dialect;
  /** Records that came later are not there yet. */
  readonly upTo: number;
  /** Throws when the client disconnected before the answer was ready, or when it takes too long. */
  stillWanted(): void;
}

export async function sheetOf(
  { upTo, stillWanted }: Searching,
  source: Source,
  n: number,
  { wanted, excluded, runs }: Lists,
  sees: ((doc: number) => boolean) | undefined,
): Promise<Sheet | null> {
  const own = (each: readonly RecordList[]) => each.filter((list) => list.source === n);
  const ofWanted = wanted.map(own);
  const all = ofWanted.flat();
  const size = sum(all, ({ docs }) => docs.length);
  if (size === 0) return null;
  const breathe = breathing(stillWanted);
  const places = placesIndex(all, size);
  for (const list of all) {
    for (let i = 0; i < list.docs.length; i += 1) {
      const doc = list.docs[i] ?? 0;
      if (doc <= upTo && list.segment.gone?.has(doc) !== true) places.add(doc);
    }
    await breathe(list.docs.length);
  }
  if (sees !== undefined) places.keep(sees);
  for (const { docs, segment } of excluded.flatMap(own))
    for (const doc of docs) if (segment.gone?.has(doc) !== true) places.remove(doc);
  const norms = normsOf(source, all, places.at);
  const marks = new Int32Array(places.docs.length);
  const shares: Share[] = [];
  for (const each of ofWanted) {
    shares.push(shareOf(each, places, norms, marks));
    await breathe(sum(each, ({ docs }) => docs.length));
  }
  return {
    source,
    docs: places.docs,
    shares,
    runs: runs.map((each) => shareOf(own(each), places, norms, marks)),
    lengths: () => lengthsOf(all, places),
  };
}

/** Lets others have a turn after so many places of words. */
function breathing(stillWanted: () => void): (places: number) => Promise<void> {
  let seen = 0;
  return async (places) => {
    stillWanted();
    seen += places;
    if (seen < yieldAfter) return;
    seen = 0;
    await turn();
  };
}

function lengthsOf(lists: readonly RecordList[], places: Places): Float64Array {
  const lengths = new Float64Array(places.docs.length);
  for (const list of lists) {
    for (let i = 0; i < list.docs.length; i += 1) {
      const doc = list.docs[i] ?? 0;
      const place = list.segment.gone?.has(doc) === true ? -1 : places.at(doc);
      const length = codedLengths[list.lengths[i] ?? 0] ?? 0;
      if (place >= 0 && length > (lengths[place] ?? 0)) lengths[place] = length;
    }
  }
  return lengths;
}

/** The records of a source, and the place of each; -1 for those that are not there. */
interface Places {
  readonly docs: number[];
  add(doc: number): void;
  remove(doc: number): void;
  keep(isKept: (doc: number) => boolean): void;
  at(doc: number): number;
}

const fewRecords = 20_000;
const widestSpan = 32_000_000;

function placesIndex(lists: readonly RecordList[], size: number): Places {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { docs } of lists) {
    first = Math.min(first, docs[0] ?? first);
    last = Math.max(last, docs[docs.length - 1] ?? 0);
  }
  const docs: number[] = [];
  const keep = (remove: (doc: number) => void) => (isKept: (doc: number) => boolean) => {
    for (const doc of docs) if (!isKept(doc)) remove(doc);
  };
  if (size <= fewRecords || last - first > widestSpan) {
    const held = new Map<number, number>();
    const remove = (doc: number) => void (held.has(doc) && held.set(doc, -1));
    return {
      docs,
      add(doc) {
        if (held.has(doc)) return;
        held.set(doc, docs.length);
        docs.push(doc);
      },
      remove,
      keep: keep(remove),
      at: (doc) => held.get(doc) ?? -1,
    };
  }
  // One more than the place, so that nothing has to be filled in first.
  const held = new Int32Array(last - first + 1);
  const remove = (doc: number): void => {
    held[doc - first] = 0;
  };
  return {
    docs,
    add(doc) {
      if ((held[doc - first] ?? 0) !== 0) return;
      docs.push(doc);
      held[doc - first] = docs.length;
    },
    remove,
    keep: keep(remove),
    at: (doc) => (held[doc - first] ?? 0) - 1,
  };
}

/** By field and coded length: what an occurrence counts. Words in a long text count less than in a short one. */
function normsOf(source: Source, lists: readonly RecordList[], at: (doc: number) => number): Norms {
  const isWhole = seesAll(source);
  const ofWhole = isWhole ? (knownNorms.get(source.segments) ?? new Map()) : new Map();
  const norms = new Map<number, Float64Array>();
  for (const field of source.fields) {
    const weight = source.weights[field] ?? 1;
    const held = ofWhole.get(`${field} ${weight}`);
    const made = held ?? normOf(weight, isWhole ? usualLength(source, field) : usualFound(lists, field, at));
    ofWhole.set(`${field} ${weight}`, made);
    norms.set(field, made);
  }
  if (isWhole) knownNorms.set(source.segments, ofWhole);
  return norms;
}

/** Whether the scope sees all that its segments count: they count a record again whenever any field of it changes. */
function seesAll({ limits, stream: { scope } }: Source): boolean {
  return limits.length === 0 && scope.stream.declaration.fields.every(({ name }) => canRead(scope, name));
}

type Norms = ReadonlyMap<number, Float64Array>;

/** Of a whole connection they are the same until its segments change. */
const knownNorms = new WeakMap<readonly Segment[], Map<string, Float64Array>>();

function normOf(weight: number, usual: number): Float64Array {
  const lengthWeight = lengthWeightOf(usual);
  const expected = expectedLength(usual);
  return codedLengths.map(
    (length) => weight / (1 - lengthWeight + lengthWeight * (expected > 0 ? length / expected : 1)),
  );
}

/**
 * The length at which a word counts once. A stream of long texts is not compared with itself alone: each of its records would
 * count like a short note of another stream, though it says many other things too.
 */
const expectedLength = (usual: number): number => Math.sqrt(usual * Math.min(usual, shortTexts.length));

const shortTexts = { length: 40, weight: 0.45 };
const longTexts = { length: 120, weight: 0.8 };

/** Where texts are short they are short alike, and length says little; where they are long, it says how much else is said. */
function lengthWeightOf(usual: number): number {
  const share = (usual - shortTexts.length) / (longTexts.length - shortTexts.length);
  return shortTexts.weight + (longTexts.weight - shortTexts.weight) * Math.min(1, Math.max(0, share));
}

const usualLength = ({ segments }: Source, field: number): number =>
  sum(segments, ({ lengths }) => lengths[field] ?? 0) /
  Math.max(
    1,
    sum(segments, ({ docs }) => docs),
  );

/** Of a scope that sees only some records of its connection: how long the found ones are, which is all it may know. */
function usualFound(lists: readonly RecordList[], field: number, at: (doc: number) => number): number {
  const lengths = new Map<number, number>();
  for (const list of lists) {
    if (list.field !== field) continue;
    for (let i = 0; i < list.docs.length; i += 1) {
      const doc = list.docs[i] ?? 0;
      if (at(doc) >= 0 && list.segment.gone?.has(doc) !== true)
        lengths.set(doc, codedLengths[list.lengths[i] ?? 0] ?? 0);
    }
  }
  return sum([...lengths.values()], (length) => length) / Math.max(1, lengths.size);
}

/** `marks` has a number for each place, all of them 0. */
function shareOf(
  lists: readonly RecordList[],
  places: Places,
  norms: ReadonlyMap<number, Float64Array>,
  marks: Int32Array,
): Share {
  const size = sum(lists, ({ docs }) => docs.length);
  const found = new Int32Array(size);
  const density = new Float64Array(size);
  let count = 0;
  for (const { docs, times, lengths, field, weight, segment } of lists) {
    const norm = norms.get(field) ?? codedLengths;
    const { gone } = segment;
    for (let i = 0; i < docs.length; i += 1) {
      const doc = docs[i] ?? 0;
      const place = places.at(doc);
      if (place < 0 || gone?.has(doc)) continue;
      const more = weight * Math.min(times[i] ?? 0, mostOccurrences) * (norm[lengths[i] ?? 0] ?? 0);
      // A record that has a word in several fields or forms comes several times.
      const before = (marks[place] ?? 0) - 1;
      if (before >= 0) density[before] = (density[before] ?? 0) + more;
      else {
        found[count] = place;
        density[count] = more;
        count += 1;
        marks[place] = count;
      }
    }
  }
  for (let i = 0; i < count; i += 1) marks[found[i] ?? 0] = 0;
  return { places: found.subarray(0, count), density: density.subarray(0, count) };
}
