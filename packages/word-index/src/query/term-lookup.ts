import type { ChunkStore, Segment, Source } from "../ports.ts";
import type { Entry } from "../segment/dictionary.ts";
import { getKeyTerm, makeKey, makeReversedKey } from "../segment/keys.ts";
import type { DictionaryReader, KeyRange } from "./dictionary-reader.ts";
import type { TermVisibility } from "./term-visibility.ts";

/** A term in one field of one segment. */
export interface SegmentTerm {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly term: string;
  readonly weight: number;
  /** Several if very many documents contain the term. */
  readonly entries: readonly Entry[];
  /** The number of visible documents. */
  readonly docCount: number;
}

/** Terms of a phrase in one field of one segment. */
export interface SegmentPhrase {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly weight: number;
  readonly words: readonly (readonly Entry[])[];
  /** The documents of all its terms, added up. */
  readonly docCount: number;
}

/** Terms from `from` up to, but not including, `to`. */
export interface TermRange {
  readonly from: string;
  readonly to: string;
  /** Whether `from` and `to` are reversed, and so are the terms found. */
  readonly isReversed?: true;
  /** The weight of each term found; 0 drops it. Defaults to 1 for all. */
  readonly weigh?: (term: string) => number;
}

export const matchTerm = (term: string): TermRange => ({ from: term, to: `${term}\u0000` });
export const matchPrefix = (prefix: string): TermRange => ({ from: prefix, to: `${prefix}\uffff` });

export type TermMatches = ReadonlyMap<string, readonly SegmentTerm[]>;

export interface TermLookup {
  readonly chunks: ChunkStore;
  readonly dictionaries: DictionaryReader;
  readonly sources: readonly Source[];
  readonly visibility: TermVisibility;
  throwIfStopped(): void;
}

/** Finds the terms of each range that visible documents contain. Null if that needs more reading than allowed. */
export async function lookUpTerms(lookup: TermLookup, ranges: readonly TermRange[]): Promise<TermMatches[] | null> {
  if (ranges.length === 0) return [];
  const { visibility } = lookup;
  const matches = await loadTerms(lookup, ranges);
  const unchecked: SegmentTerm[] = [];
  for (const byTerm of matches)
    for (const terms of byTerm.values()) for (const term of terms) if (visibility.mustCheck(term)) unchecked.push(term);
  if (unchecked.length === 0) return matches;
  const docCounts = await visibility.countVisibleDocs(unchecked);
  return docCounts === null ? null : matches.map((byTerm) => keepVisible(byTerm, docCounts));
}

async function loadTerms(
  { chunks, dictionaries, sources, throwIfStopped }: TermLookup,
  ranges: readonly TermRange[],
): Promise<Map<string, SegmentTerm[]>[]> {
  const keyRanges: KeyRange[] = [];
  const origins: { range: number; source: number; field: number }[] = [];
  for (const [range, { from, to, isReversed }] of ranges.entries()) {
    const makeRangeKey = isReversed ? makeReversedKey : makeKey;
    for (const [source, { segments, fields }] of sources.entries()) {
      for (const field of fields) {
        const [fromKey, toKey] = [makeRangeKey(field, from), makeRangeKey(field, to)];
        for (const segment of segments) {
          keyRanges.push({ segment, from: fromKey, to: toKey });
          origins.push({ range, source, field });
        }
      }
    }
  }
  const matches = ranges.map(() => new Map<string, SegmentTerm[]>());
  const found = await dictionaries.loadEntries(chunks, keyRanges);
  for (const [i, entries] of found.entries()) {
    throwIfStopped();
    const origin = origins[i];
    const segment = keyRanges[i]?.segment;
    if (origin === undefined || segment === undefined) continue;
    const { source, field, range } = origin;
    const byTerm = matches[range];
    const weigh = ranges[range]?.weigh;
    for (let start = 0, end = 0; start < entries.length; start = end) {
      const key = entries[start]?.key ?? "";
      while (end < entries.length && entries[end]?.key === key) end += 1;
      const term = getKeyTerm(key);
      const weight = weigh === undefined ? 1 : weigh(term);
      if (weight === 0) continue;
      const own = entries.slice(start, end);
      const match = { source, segment, field, term, weight, entries: own, docCount: sumDocCounts(own) };
      const held = byTerm?.get(term);
      if (held === undefined) byTerm?.set(term, [match]);
      else held.push(match);
    }
  }
  return matches;
}

/** Drops terms without visible documents, except reversed terms, which never have any. */
function keepVisible(matches: TermMatches, docCounts: ReadonlyMap<SegmentTerm, number>): TermMatches {
  const kept = new Map<string, SegmentTerm[]>();
  for (const [term, all] of matches) {
    const visible = all.flatMap((match) => {
      const docCount = docCounts.get(match);
      if (docCount === undefined) return [match];
      return docCount === 0 ? [] : [{ ...match, docCount }];
    });
    if (visible.length > 0) kept.set(term, visible);
  }
  return kept;
}

export const compareTerms = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1;

export const sumDocCounts = (items: readonly { readonly docCount: number }[]): number =>
  items.reduce((sum, { docCount }) => sum + docCount, 0);

/** The terms with most documents, ties in alphabetical order. */
export function keepMostFrequent(matches: TermMatches, max: number): [string, readonly SegmentTerm[]][] {
  if (matches.size <= max) return [...matches].sort(compareTerms);
  const counted = [...matches].map(([term, terms]) => ({ term, terms, docCount: sumDocCounts(terms) }));
  counted.sort((a, b) => b.docCount - a.docCount || (a.term < b.term ? -1 : 1));
  return counted.slice(0, max).map(({ term, terms }) => [term, terms]);
}

/** The phrases of these words: one for each field of a segment that contains every word. */
export function makePhrases(words: readonly (readonly SegmentTerm[])[], weight: number): SegmentPhrase[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const getPlace = ({ source, segment, field }: SegmentTerm): string => `${source} ${segment.no} ${field}`;
  const others = rest.map((terms) => new Map(terms.map((term) => [getPlace(term), term])));
  return first.flatMap((term): SegmentPhrase[] => {
    const terms = [term];
    for (const other of others) {
      const next = other.get(getPlace(term));
      if (next === undefined) return [];
      terms.push(next);
    }
    const { source, segment, field } = term;
    const entries = terms.map((each) => each.entries);
    return [{ source, segment, field, weight, words: entries, docCount: sumDocCounts(terms) }];
  });
}
