import type { Dialect, ReadTransaction } from "../engine/engine.ts";
import type { Term } from "./dictionary.ts";
import type { IndexReader, WantedBytes } from "./index-reader.ts";
import { readPostings } from "./postings.ts";
import { parts, type Range } from "./segment.ts";
import { type Source, visibleAmong } from "./sources.ts";

/**
 * Dictionaries know nothing of time ranges and resource lists, and have the words of deleted records for a while. What a question
 * is taken to mean must not depend on records that the scope does not see, so a word that only those have is as good as not there.
 */
export interface Inside {
  /** Whether it takes a look at its records to know that the scope sees any of them. */
  isUncertain(term: Term): boolean;
  /** How many records of the scope have each term. Null when it takes too much reading to be done at once. */
  counts(terms: readonly Term[]): Promise<ReadonlyMap<Term, number> | null>;
  /** Whether the scope sees a record that a term has; undefined for sources of which it sees all. */
  sees(source: number): ((doc: number) => boolean) | undefined;
  /** What was read of the postings already. */
  readonly read: ReadonlyMap<Range, Buffer>;
  /** Whether every term was looked at. */
  isComplete(): boolean;
}

/** So many places are looked at to find out who has a word; of more, those of the first words by their letters. */
const mostLookedAt = 8_000_000;

export function insideOf(
  on: ReadTransaction,
  dialect: Dialect,
  reader: IndexReader,
  ownerNo: number,
  sources: readonly Source[],
  upTo: number,
  mostBytes: number,
): Inside {
  const read = new Map<Range, Buffer>();
  const visible = sources.map(({ limits }) => (limits.length > 0 ? new Map<number, boolean>() : undefined));
  let left = mostLookedAt;
  let bytes = 0;

  /** The records of a term that are there, whether the scope sees them or not. */
  const docsOf = ({ segment, entries }: Term): number[] => {
    const docs: number[] = [];
    for (const { postings, first, count } of entries) {
      for (const doc of readPostings(read.get(postings) ?? Buffer.alloc(0), first, count).docs)
        if (doc <= upTo && segment.gone?.has(doc) !== true) docs.push(doc);
    }
    return docs;
  };

  const ask = async (held: ReadonlyMap<Term, readonly number[]>): Promise<void> => {
    for (const [n, known] of visible.entries()) {
      const source = sources[n];
      if (known === undefined || source === undefined) continue;
      const docs = new Set<number>();
      for (const [term, of] of held) if (term.source === n) for (const doc of of) if (!known.has(doc)) docs.add(doc);
      if (docs.size === 0) continue;
      const allowed = await visibleAmong(on, dialect, source, [...docs]);
      for (const doc of docs) known.set(doc, allowed.has(doc));
    }
  };

  return {
    read,
    sees(source) {
      const known = visible[source];
      return known && ((doc) => known.get(doc) === true);
    },
    isComplete: () => left >= 0,
    isUncertain: ({ source, segment: { gone }, entries, count }) =>
      count > 0 &&
      (visible[source] !== undefined ||
        (gone !== undefined && gone.size >= count) ||
        (entries[entries.length - 1]?.last ?? 0) > upTo),
    async counts(terms) {
      const looked = [...terms]
        .sort((a, b) => (a.form < b.form ? -1 : a.form > b.form ? 1 : 0))
        .filter(({ count }) => {
          left -= count;
          return left >= 0;
        });
      const wanted = looked.flatMap(({ segment, entries }) =>
        entries.flatMap(({ postings }): WantedBytes[] =>
          read.has(postings) ? [] : [{ segment, part: parts.postings, range: postings }],
        ),
      );
      bytes += wanted.reduce((sum, { range }) => sum + range.size, 0);
      if (bytes > mostBytes) return null;
      for (const [i, held] of (await reader.bytes(on, ownerNo, wanted)).entries()) {
        const range = wanted[i]?.range;
        if (range !== undefined) read.set(range, held);
      }
      const docs = new Map(looked.map((term) => [term, docsOf(term)]));
      await ask(docs);
      const counts = new Map(terms.map((term) => [term, 0]));
      for (const [term, of] of docs) {
        const known = visible[term.source];
        counts.set(term, known === undefined ? of.length : of.filter((doc) => known.get(doc)).length);
      }
      return counts;
    },
  };
}
