import type { SearchQuery } from "@pdpp/evidence/query";
import type { Dialect, Reading } from "./engine.ts";
import type { FieldNumbers, Postings } from "./search-index.ts";
import {
  candidateLimit,
  inScope,
  lengthSample,
  nothingFound,
  type Part,
  partOf,
  type RankedStream,
  type Ranking,
  relatedWeight,
  type SearchedStream,
  withoutExcluded,
} from "./search-parts.ts";
import { scorer } from "./search-score.ts";
import { termsOf } from "./search-words.ts";

/** The same ranking as `rank` for words that few records have: what their statements find is all there is to know. */

const fewPlaces = 2000;

interface FoundClause {
  /** By part. */
  readonly postings: readonly Postings[];
  readonly count: number;
}

/** Null when some word stands in too many places, or the engine has no postings. */
export async function rankFew(
  on: Reading,
  dialect: Dialect,
  streams: readonly SearchedStream[],
  query: SearchQuery,
  upTo: number,
): Promise<Ranking | null> {
  const { postings: find } = dialect.search;
  if (find === undefined) return null;
  const parts = streams.flatMap((stream) => partOf(dialect, stream, upTo));
  if (parts.length === 0 || query.wanted.length === 0) return nothingFound;
  const clauses: FoundClause[] = [];
  let all = 0;
  for (const clause of query.wanted) {
    const terms = await termsOf(on, clause);
    const postings: Postings[] = [];
    let count = 0;
    for (const { plan, where } of parts) {
      const found = await find(on, plan, where, terms, fewPlaces);
      if (found === null) return null;
      postings.push(found);
      count += found.docs.length;
    }
    all += count;
    if (all > candidateLimit) return null;
    clauses.push({ postings, count });
  }
  const total = await inScope(on, dialect, parts);
  const ranked: RankedStream[] = [];
  let candidates = 0;
  for (const [n, part] of parts.entries()) {
    const of = clauses.flatMap(({ postings, count }) =>
      postings[n]!.docs.length === 0 ? [] : [{ ...postings[n]!, count }],
    );
    if (of.length === 0) continue;
    const docs = await withoutExcluded(on, dialect, part, unionOf(of), query.excluded);
    if (docs.length === 0) continue;
    const usual = await dialect.search.usualLengths(on, part.plan, part.where, lengthSample);
    ranked.push(score(part, docs, of, usual, total));
    candidates += docs.length;
  }
  return { ranked, candidates, complete: true };
}

function unionOf(postings: readonly Postings[]): readonly number[] {
  if (postings.length === 1) return postings[0]!.docs;
  const docs = new Set<number>();
  for (const found of postings) for (const doc of found.docs) docs.add(doc);
  return [...docs];
}

function score(
  part: Part,
  docs: readonly number[],
  clauses: readonly (Postings & { readonly count: number })[],
  usual: readonly number[],
  total: number,
): RankedStream {
  const { plan, where, weights, stream } = part;
  const width = plan.fields.length;
  const lengths = new Float64Array(docs.length * width);
  const tables = clauses.map((clause) => {
    const frequencies = new Float64Array(docs.length * width);
    return { clause, frequencies };
  });
  const places = new Map<number, number>();
  for (let place = 0; place < docs.length; place += 1) places.set(docs[place]!, place);
  for (const { clause, frequencies } of tables) spread(clause, width, places, frequencies, lengths);
  const scores = scorer({ fields: where.fields, width, weights, lengths, usual });
  for (const { clause, frequencies } of tables) scores.add(frequencies, clause.count, total);
  return { stream, docs, scores };
}

/** Puts what a clause found into the places of the documents that are ranked. */
function spread(
  { docs, exact, related, lengths }: Postings,
  width: number,
  places: ReadonlyMap<number, number>,
  frequencies: FieldNumbers,
  allLengths: FieldNumbers,
): void {
  for (let i = 0; i < docs.length; i += 1) {
    const place = places.get(docs[i]!);
    if (place === undefined) continue;
    for (let field = 0; field < width; field += 1) {
      const [from, to] = [i * width + field, place * width + field];
      frequencies[to] = exact[from]! + relatedWeight * related[from]!;
      allLengths[to] = lengths[from]!;
    }
  }
}
