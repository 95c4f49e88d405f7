import type { SearchQuery } from "@pdpp/evidence/query";
import type { Dialect, Reading } from "../engine/engine.ts";
import { type Asked, askedFor, type FieldNumbers, type Term } from "./search-index.ts";
import {
  type ClauseTerms,
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
  together,
  withoutExcluded,
} from "./search-parts.ts";
import { rarityOf, scorer } from "./search-score.ts";
import { termsOf } from "./search-words.ts";

/** Finding and ranking: one BM25 for both engines, with everything it counts counted inside the scope. */

/** Up to so many records it is counted how often a word stands in each. */
const countedRecords = 100_000;

interface CountedClause extends ClauseTerms {
  readonly all: Term;
  /** In how many records of each part it stands, and in all. */
  readonly counts: readonly number[];
  readonly count: number;
  /** The newest of them, by part. */
  readonly newest: readonly (readonly number[])[];
}

/** Whatever is asked for: of words too common to rank all their records, the newest ones. */
export async function rank(
  on: Reading,
  dialect: Dialect,
  streams: readonly SearchedStream[],
  query: SearchQuery,
  upTo: number,
): Promise<Ranking> {
  const parts = streams.flatMap((stream) => partOf(dialect, stream, upTo));
  const ownerNo = parts[0]?.where.ownerNo;
  if (ownerNo === undefined || query.wanted.length === 0) return nothingFound;
  const clauses: CountedClause[] = [];
  for (const clause of query.wanted)
    clauses.push(await counted(on, dialect, parts, await termsOf(on, ownerNo, clause)));
  const chosen = choose(parts, clauses);
  const total = await inScope(on, dialect, parts);
  const ranked: RankedStream[] = [];
  let size = 0;
  for (const [n, part] of parts.entries()) {
    const docs = await withoutExcluded(on, dialect, part, chosen.docs[n] ?? [], query.excluded);
    if (docs.length === 0) continue;
    const present = clauses.filter(({ counts }) => (counts[n] ?? 0) > 0);
    ranked.push(await score(on, dialect, part, docs, present, total));
    size += docs.length;
  }
  return {
    ranked,
    unranked: noHits,
    candidates: chosen.complete ? size : chosen.found,
    complete: chosen.complete,
    rarities: clauses.map(({ count }) => rarityOf(count, total)),
  };
}

async function counted(
  on: Reading,
  dialect: Dialect,
  parts: readonly Part[],
  terms: ClauseTerms,
): Promise<CountedClause> {
  const all = together(terms);
  const counts: number[] = [];
  const newest: (readonly number[])[] = [];
  for (const { plan, where } of parts) {
    const { docs, count } = await dialect.search.newest(on, plan, where, all, candidateLimit + 1);
    counts.push(count);
    newest.push(docs.slice(0, candidateLimit));
  }
  return { ...terms, all, counts, newest, count: counts.reduce((sum, n) => sum + n, 0) };
}

/** The records to be ranked: those with the rarest words first, the newest of a word too common to rank all of. */
function choose(
  parts: readonly Part[],
  clauses: readonly CountedClause[],
): { docs: number[][]; complete: boolean; found: number } {
  const chosen = parts.map(() => new Set<number>());
  let size = 0;
  let complete = true;
  for (const { count, newest } of [...clauses].sort((a, b) => a.count - b.count)) {
    const known = newest.reduce((sum, docs) => sum + docs.length, 0);
    if (count > known) complete = false;
    const take = (part: number, doc: number): boolean => {
      const docs = chosen[part];
      if (docs === undefined || docs.has(doc)) return true;
      if (size >= candidateLimit) return false;
      docs.add(doc);
      size += 1;
      return true;
    };
    const [only] = newest;
    if (only !== undefined && newest.length === 1) complete = only.every((doc) => take(0, doc)) && complete;
    else {
      const found = newest.flatMap((docs, part) => docs.map((doc) => ({ part, doc })));
      found.sort((a, b) => b.doc - a.doc);
      complete = found.every(({ part, doc }) => take(part, doc)) && complete;
    }
  }
  const found = Math.max(size, ...clauses.map(({ count }) => count));
  return { docs: chosen.map((docs) => [...docs]), complete, found };
}

async function score(
  on: Reading,
  dialect: Dialect,
  part: Part,
  docs: readonly number[],
  clauses: readonly CountedClause[],
  total: number,
): Promise<RankedStream> {
  const { plan, where, weights } = part;
  const asked = askedFor(docs);
  const lengths = await dialect.search.lengths(on, plan, where.ownerNo, asked);
  const usual = await dialect.search.usualLengths(on, plan, where, lengthSample);
  const scores = scorer({ fields: where.fields, width: plan.fields.length, weights, lengths, usual });
  for (const clause of clauses) {
    scores.add(await frequenciesOf(on, dialect, part, clause, asked), clause.count, total);
  }
  return { stream: part.stream, docs, scores };
}

/** Words are counted; phrases and beginnings, and words too common for the number to tell anything, are there or not. */
async function frequenciesOf(
  on: Reading,
  dialect: Dialect,
  { plan, where }: Part,
  { exact, related, all, count }: CountedClause,
  asked: Asked,
): Promise<FieldNumbers> {
  const { search } = dialect;
  if (exact.kind !== "forms" || count > countedRecords) return search.presence(on, plan, where, all, asked);
  const found = await search.occurrences(on, plan, where, exact.forms, asked);
  if (related?.kind !== "forms") return found;
  const others = await search.occurrences(on, plan, where, related.forms, asked);
  return found.map((n, i) => n + relatedWeight * (others[i] ?? 0));
}
