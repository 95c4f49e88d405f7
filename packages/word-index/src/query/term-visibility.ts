import type { ChunkStore, Source } from "../ports.ts";
import { type ByteRange, parts } from "../segment/layout.ts";
import { readPostings } from "../segment/posting-list.ts";
import { loadRanges, type SegmentRange } from "./dictionary-reader.ts";
import type { SegmentTerm } from "./term-lookup.ts";

/**
 * Checks which terms occur in visible documents. Dictionaries also contain terms of deleted documents and of documents outside
 * the grant's time range or resource list. How a query is understood must not depend on those: such a term does not exist.
 */
export interface TermVisibility {
  /** Whether the dictionary alone cannot tell that the term occurs in a visible document. */
  mustCheck(term: SegmentTerm): boolean;
  /** The number of visible documents of each term. Null if that needs more reading than allowed. */
  countVisibleDocs(terms: readonly SegmentTerm[]): Promise<ReadonlyMap<SegmentTerm, number> | null>;
  /** A check for documents of checked terms; undefined for a source that is not filtered. */
  getDocFilter(source: number): ((doc: number) => boolean) | undefined;
  /** Postings that were read for the checks. */
  readonly loadedPostings: ReadonlyMap<ByteRange, Buffer>;
  /** Whether every term could be checked. */
  isComplete(): boolean;
}

/** Beyond this many postings, terms are not checked and count as absent. Alphabetical order decides which. */
const maxCheckedPostings = 8_000_000;

export function createTermVisibility(
  chunks: ChunkStore,
  sources: readonly Source[],
  maxDoc: number,
  maxBytes: number,
): TermVisibility {
  const loadedPostings = new Map<ByteRange, Buffer>();
  /** For each filtered source: documents checked so far, and whether they are visible. */
  const checkedDocs = sources.map(({ visibility }) => (visibility.isFiltered ? new Map<number, boolean>() : undefined));
  let postingsLeft = maxCheckedPostings;
  let bytesRead = 0;

  const loadPostings = async (terms: readonly SegmentTerm[]): Promise<boolean> => {
    const missing = terms.flatMap(({ segment, entries }) =>
      entries.flatMap(({ postings }): SegmentRange[] =>
        loadedPostings.has(postings) ? [] : [{ segment, part: parts.postings, range: postings }],
      ),
    );
    bytesRead += missing.reduce((sum, { range }) => sum + range.size, 0);
    if (bytesRead > maxBytes) return false;
    const loaded = await loadRanges(chunks, missing);
    for (const [n, { range }] of missing.entries()) {
      const bytes = loaded[n];
      if (bytes !== undefined) loadedPostings.set(range, bytes);
    }
    return true;
  };

  /** The documents of a term that are not deleted, visible or not. */
  const listLiveDocs = ({ segment, entries }: SegmentTerm): number[] => {
    const docs: number[] = [];
    for (const { postings, firstDoc, docCount } of entries) {
      const bytes = loadedPostings.get(postings);
      if (bytes === undefined) throw new Error("A posting list was not loaded.");
      for (const doc of readPostings(bytes, firstDoc, docCount).docs)
        if (doc <= maxDoc && segment.tombstones?.has(doc) !== true) docs.push(doc);
    }
    return docs;
  };

  const checkDocs = async (docsByTerm: ReadonlyMap<SegmentTerm, readonly number[]>): Promise<void> => {
    for (const [n, { visibility }] of sources.entries()) {
      const checked = checkedDocs[n];
      if (checked === undefined) continue;
      const unchecked = new Set<number>();
      for (const [term, docs] of docsByTerm)
        if (term.source === n) for (const doc of docs) if (!checked.has(doc)) unchecked.add(doc);
      if (unchecked.size === 0) continue;
      const visible = await visibility.findVisible([...unchecked]);
      for (const doc of unchecked) checked.set(doc, visible.has(doc));
    }
  };

  return {
    loadedPostings,
    getDocFilter(source) {
      const checked = checkedDocs[source];
      return checked && ((doc) => checked.get(doc) === true);
    },
    isComplete: () => postingsLeft >= 0,
    mustCheck: ({ source, segment: { tombstones }, entries, docCount }) =>
      docCount > 0 &&
      (checkedDocs[source] !== undefined ||
        (tombstones !== undefined && tombstones.size >= docCount) ||
        (entries.at(-1)?.lastDoc ?? 0) > maxDoc),
    async countVisibleDocs(terms) {
      const affordable = [...terms]
        .sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0))
        .filter(({ docCount }) => {
          postingsLeft -= docCount;
          return postingsLeft >= 0;
        });
      if (!(await loadPostings(affordable))) return null;
      const docsByTerm = new Map(affordable.map((term) => [term, listLiveDocs(term)]));
      await checkDocs(docsByTerm);
      const counts = new Map(terms.map((term) => [term, 0]));
      for (const [term, docs] of docsByTerm) {
        const checked = checkedDocs[term.source];
        counts.set(term, checked === undefined ? docs.length : docs.filter((doc) => checked.get(doc)).length);
      }
      return counts;
    },
  };
}
