import type { SearchQuery } from "@pdpp/evidence/query";
import type { Dialect, Reading } from "../engine/engine.ts";
import { askedFor, type FieldNumbers, type Postings, zeros } from "./search-index.ts";
import {
  candidateLimit,
  inScope,
  lengthSample,
  noHits,
  nothingFound,
  type Part,
  partOf,
  type RankedStream,
  type Ranking,
  relatedWeight,
  type SearchedStream,
  tierOf,
  withoutExcluded,
} from "./search-parts.ts";
import { rarityOf, scorer } from "./search-score.ts";
import { termsOf } from "./search-words.ts";

/** The same ranking as `rank` for words that few records have: what their statements find is all there is to know. */

const fewPlaces = 2000;

interface FoundClause {
  /** By part. */
  readonly postings: readonly Postings[];
  readonly count: number;
}

/** What a clause has in one part. */
interface Present {
  readonly postings: Postings;
  /** In how many records of all parts it stands. */
  readonly count: number;
}

function presentIn({ postings, count }: FoundClause, n: number): Present[] {
  const here = postings[n];
  return here === undefined || here.docs.length === 0 ? [] : [{ postings: here, count }];
}

interface FoundPart {
  readonly part: Part;
  readonly clauses: readonly Present[];
  /** The records to be ranked, in order of their versions, and how many clauses each has. */
  readonly docs: readonly number[];
  readonly matched: readonly number[];
}

/**
 * The best `hits` are ranked, if not more; all are counted. Null when some word stands in too many places, or the engine has no
 * postings.
 */
export async function rankFew(
  on: Reading,
  dialect: Dialect,
  streams: readonly SearchedStream[],
  query: SearchQuery,
  upTo: number,
  hits: number,
): Promise<Ranking | null> {
  const parts = streams.flatMap((stream) => partOf(dialect, stream, upTo));
  const ownerNo = parts[0]?.where.ownerNo;
  if (ownerNo === undefined || query.wanted.length === 0) return nothingFound;
  const clauses = await foundClauses(on, dialect, ownerNo, parts, query);
  if (clauses === null) return null;
  const found: FoundPart[] = [];
  let [all, most, any] = [0, 0, 0];
  for (const [n, part] of parts.entries()) {
    const present = clauses.flatMap((clause) => presentIn(clause, n));
    if (present.length === 0) continue;
    const union = unionOf(present);
    const docs = query.excluded.length === 0 ? union : await withoutExcluded(on, dialect, part, union, query.excluded);
    if (docs.length === 0) continue;
    const matched = matchesOf(docs, present);
    for (const held of matched) {
      const tier = tierOf(held, query.wanted.length);
      if (tier === 0) all += 1;
      else if (tier === 1) most += 1;
      else any += 1;
    }
    found.push({ part, clauses: present, docs, matched });
  }
  // Records with all words come first: when they fill the page, the others need no score.
  const enough = !query.isQuestion && all >= hits;
  const total = await inScope(on, dialect, parts);
  const ranked: RankedStream[] = [];
  for (const of of found) {
    const chosen = enough ? withAll(of, query.wanted.length) : of;
    if (chosen.docs.length > 0) ranked.push(await score(on, dialect, chosen, total));
  }
  return {
    ranked,
    unranked: enough ? { all: 0, most, any } : noHits,
    candidates: all + most + any,
    complete: true,
    rarities: clauses.map(({ count }) => rarityOf(count, total)),
  };
}

async function foundClauses(
  on: Reading,
  dialect: Dialect,
  ownerNo: number,
  parts: readonly Part[],
  query: SearchQuery,
): Promise<FoundClause[] | null> {
  const { postings: find } = dialect.search;
  if (find === undefined) return null;
  const clauses: FoundClause[] = [];
  let places = 0;
  for (const clause of query.wanted) {
    const terms = await termsOf(on, ownerNo, clause);
    const postings: Postings[] = [];
    let count = 0;
    for (const { plan, where } of parts) {
      // The records that have all words are among those of the first; of the others the lengths may never be needed.
      const found = await find(on, plan, where, terms, fewPlaces, clauses.length === 0);
      if (found === null) return null;
      postings.push(found);
      count += found.docs.length;
    }
    places += count;
    if (places > candidateLimit) return null;
    clauses.push({ postings, count });
  }
  return clauses;
}

/** Lists in order, as one. */
function unionOf(lists: readonly Present[]): readonly number[] {
  let union: readonly number[] = [];
  for (const { docs } of lists.map(({ postings }) => postings)) {
    if (union.length === 0) {
      union = docs;
      continue;
    }
    const both: number[] = [];
    for (let i = 0, j = 0; i < union.length || j < docs.length; ) {
      const a = union[i] ?? Number.POSITIVE_INFINITY;
      const b = docs[j] ?? Number.POSITIVE_INFINITY;
      both.push(Math.min(a, b));
      if (a <= b) i += 1;
      if (b <= a) j += 1;
    }
    union = both;
  }
  return union;
}

/** For each document that two lists in order have in common, its places in both. */
function eachCommon(some: readonly number[], others: readonly number[], visit: (i: number, j: number) => void): void {
  for (let i = 0, j = 0; i < some.length && j < others.length; ) {
    const a = some[i] ?? 0;
    const b = others[j] ?? 0;
    if (a === b) visit(i, j);
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
}

function matchesOf(docs: readonly number[], clauses: readonly Present[]): number[] {
  if (clauses.length === 1) return new Array<number>(docs.length).fill(1);
  const matched = zeros(docs.length);
  for (const { postings } of clauses) {
    eachCommon(docs, postings.docs, (place) => {
      matched[place] = (matched[place] ?? 0) + 1;
    });
  }
  return matched;
}

function withAll(found: FoundPart, wanted: number): FoundPart {
  return { ...found, docs: found.docs.filter((_, place) => found.matched[place] === wanted) };
}

async function score(
  on: Reading,
  dialect: Dialect,
  { part, clauses, docs }: FoundPart,
  total: number,
): Promise<RankedStream> {
  const { plan, where, weights, stream } = part;
  const width = plan.fields.length;
  const usual = await dialect.search.usualLengths(on, plan, where, lengthSample);
  const lengths = await lengthsOf(on, dialect, part, docs, clauses);
  const scores = scorer({ fields: where.fields, width, weights, lengths, usual });
  for (const { postings, count } of clauses) scores.add(frequenciesOf(docs, postings, width), count, total);
  return { stream, docs, scores };
}

function frequenciesOf(docs: readonly number[], clause: Postings, width: number): FieldNumbers {
  const { exact, related } = clause;
  if (docs === clause.docs && related === undefined) return exact;
  const frequencies = zeros(docs.length * width);
  eachCommon(docs, clause.docs, (place, at) => {
    for (let field = 0; field < width; field += 1) {
      const n = at * width + field;
      frequencies[place * width + field] = (exact[n] ?? 0) + relatedWeight * (related?.[n] ?? 0);
    }
  });
  return frequencies;
}

/** As the clauses brought them, and looked up for the documents of which none did. */
async function lengthsOf(
  on: Reading,
  dialect: Dialect,
  { plan, where }: Part,
  docs: readonly number[],
  clauses: readonly Present[],
): Promise<FieldNumbers> {
  const first = clauses[0]?.postings;
  if (docs === first?.docs && first.lengths !== undefined) return first.lengths;
  const width = plan.fields.length;
  const lengths = zeros(docs.length * width);
  const known = zeros(docs.length);
  const put = (place: number, from: FieldNumbers, at: number) => {
    for (let field = 0; field < width; field += 1) lengths[place * width + field] = from[at * width + field] ?? 0;
    known[place] = 1;
  };
  for (const { postings } of clauses) {
    const from = postings.lengths;
    if (from !== undefined) eachCommon(docs, postings.docs, (place, at) => put(place, from, at));
  }
  const unknown = docs.filter((_, place) => known[place] === 0);
  if (unknown.length === 0) return lengths;
  const asked = await dialect.search.lengths(on, plan, where.ownerNo, askedFor(unknown));
  eachCommon(docs, unknown, (place, at) => put(place, asked, at));
  return lengths;
}
