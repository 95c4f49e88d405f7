import type { ReadTransaction } from "../engine/engine.ts";
import type { IndexReader, Segment, WantedEntries } from "./index-reader.ts";
import type { Inside } from "./inside.ts";
import { backwardKey, backwards, type Entry, forwardKey } from "./segment.ts";
import type { Source } from "./sources.ts";

/** Looking words up in the dictionaries of what is searched. */

/** The records of one segment that have a word in a field. */
export interface Term {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly form: string;
  readonly weight: number;
  /** Its entries one behind the other: several for a word that very many records have. */
  readonly entries: readonly Entry[];
  /** How many records that is, of those the scope sees. */
  readonly count: number;
}

/** The records of one segment that have words one behind the other in a field. */
export interface PhraseTerm {
  readonly source: number;
  readonly segment: Segment;
  readonly field: number;
  readonly weight: number;
  /** The entries of each word. */
  readonly words: readonly (readonly Entry[])[];
  /** How many records each of them has, taken together. */
  readonly count: number;
}

/** Forms from one to another; one form alone when there is no other. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly isBackward?: true;
  /** What each of these forms counts; 0 for one that is not wanted. All count 1 when left out. */
  readonly weigh?: (form: string) => number;
}
export const only = (form: string): Span => ({ from: form, to: `${form}\u0000` });
export const beginningWith = (prefix: string): Span => ({ from: prefix, to: `${prefix}\uffff` });

/** A look into the dictionaries: what was found of each span, by form. */
export type Found = ReadonlyMap<string, readonly Term[]>;

export interface Looking {
  readonly on: ReadTransaction;
  readonly reader: IndexReader;
  readonly ownerNo: number;
  readonly sources: readonly Source[];
  readonly inside: Inside;
  /** Whether a record of the scope has the words of such a phrase one behind the other. */
  stands(phrases: readonly PhraseTerm[]): Promise<boolean>;
  /** Throws when the client disconnected before the answer was ready, or when it takes too long. */
  stillWanted(): void;
}

/** A question that takes too much reading to be answered at once. */
export class TooHeavy extends Error {}

export async function lookUp(
  { on, reader, ownerNo, sources, inside, stillWanted }: Looking,
  spans: readonly Span[],
): Promise<Found[]> {
  const wanted: WantedEntries[] = [];
  const places: { span: number; source: number; field: number }[] = [];
  for (const [span, { from, to, isBackward }] of spans.entries()) {
    for (const [source, { segments, fields }] of sources.entries()) {
      for (const field of fields) {
        const keyOf = isBackward
          ? (form: string) => backwardKey(field, backwards(form))
          : (form: string) => forwardKey(field, form);
        const [first, end] = [keyOf(from), keyOf(to)];
        for (const segment of segments) {
          wanted.push({ segment, from: first, to: end });
          places.push({ span, source, field });
        }
      }
    }
  }
  const found = spans.map(() => new Map<string, Term[]>());
  const lists = await reader.entries(on, ownerNo, wanted);
  for (const [i, entries] of lists.entries()) {
    stillWanted();
    const place = places[i];
    const asked = wanted[i];
    if (place === undefined || asked === undefined || entries.length === 0) continue;
    const forms = found[place.span];
    const weigh = spans[place.span]?.weigh;
    for (let n = 0; n < entries.length; ) {
      const key = entries[n]?.key ?? "";
      let end = n + 1;
      while (entries[end]?.key === key) end += 1;
      const form = key.slice(1);
      const weight = weigh === undefined ? 1 : weigh(form);
      if (weight === 0) {
        n = end;
        continue;
      }
      const own = entries.slice(n, end);
      const term = {
        source: place.source,
        segment: asked.segment,
        field: place.field,
        form,
        weight,
        entries: own,
        count: recordsOf(own),
      };
      const held = forms?.get(form);
      if (held === undefined) forms?.set(form, [term]);
      else held.push(term);
      n = end;
    }
  }
  const uncertain: Term[] = [];
  for (const forms of found)
    for (const terms of forms.values()) for (const term of terms) if (inside.isUncertain(term)) uncertain.push(term);
  if (uncertain.length === 0) return found;
  const counts = await inside.counts(uncertain);
  if (counts === null) throw new TooHeavy("for a thread of its own");
  return found.map((forms) => withCounts(forms, counts));
}

/** What records of the scope have. */
function withCounts(forms: Found, counts: ReadonlyMap<Term, number>): Found {
  const kept = new Map<string, Term[]>();
  for (const [form, terms] of forms) {
    const seen = terms
      .map((term) => (counts.has(term) ? { ...term, count: counts.get(term) ?? 0 } : term))
      .filter((term, n) => term.count > 0 || terms[n]?.count === 0);
    if (seen.length > 0) kept.set(form, seen);
  }
  return kept;
}

export const byForm = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const recordsOf = (each: readonly { readonly count: number }[]): number =>
  each.reduce((sum, { count }) => sum + count, 0);

/** The forms that most records have, of equals the first by their letters. */
export function mostRecords(forms: ReadonlyMap<string, readonly Term[]>, most: number): [string, readonly Term[]][] {
  if (forms.size <= most) return [...forms].sort(byForm);
  const counted = [...forms].map(([form, terms]) => ({ form, terms, count: recordsOf(terms) }));
  counted.sort((a, b) => b.count - a.count || (a.form < b.form ? -1 : 1));
  return counted.slice(0, most).map(({ form, terms }) => [form, terms]);
}

export const formsIn = (found: readonly Found[], spans: readonly number[]): Map<string, readonly Term[]> =>
  new Map(spans.flatMap((span) => [...(found[span] ?? [])]));

/** Where all words of a phrase are in one field of one segment. */
export function phrasesOf(words: readonly (readonly Term[])[], weight: number): PhraseTerm[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  const placeOf = ({ source, segment, field }: Term): string => `${source} ${segment.no} ${field}`;
  const others = rest.map((terms) => new Map(terms.map((term) => [placeOf(term), term])));
  return first.flatMap((term): PhraseTerm[] => {
    const held = [term];
    for (const other of others) {
      const next = other.get(placeOf(term));
      if (next === undefined) return [];
      held.push(next);
    }
    const { source, segment, field } = term;
    return [{ source, segment, field, weight, words: held.map(({ entries }) => entries), count: recordsOf(held) }];
  });
}
