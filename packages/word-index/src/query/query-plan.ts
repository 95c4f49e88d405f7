import { type Clause, mapPairs, type Run, type SearchQuery } from "@pdpp/language/query/query";
import { isUnspaced } from "@pdpp/language/words/tokenize";
import { requireItem } from "../require-item.ts";
import { type ClausePlan, type PlanOptions, planExcluded, planWanted } from "./clause-plan.ts";
import { makePhrases, sumDocCounts } from "./term-lookup.ts";

export interface QueryPlan {
  /** The query to run: only the rarest clauses if there are very many. */
  readonly query: SearchQuery;
  readonly wanted: readonly ClausePlan[];
  /** Clauses that no visible document contains, before the postings are read. */
  readonly absent: readonly Clause[];
  /** The posting lists to read, within the limit. */
  readonly reads: ClauseGroups<ClausePlan>;
  readonly isComplete: boolean;
}

/** Something for each clause that must match, must not match, or is a run of adjacent words. */
export interface ClauseGroups<T> {
  readonly wanted: readonly T[];
  readonly excluded: readonly T[];
  readonly runs: readonly T[];
}

const maxClauses = 128;
/** Postings read for one query. If there are more, the newest of the most common words are read. */
export const maxPostings = 2_000_000;

/** Looks up every clause of the query. Null if that needs more reading than allowed. */
export async function planQuery(options: PlanOptions, asked: SearchQuery): Promise<QueryPlan | null> {
  const all = await planWanted(options, asked.wanted, mapJoinedWords(asked.runs));
  if (all === null) return null;
  const { query, wanted } = keepRarest(asked, all);
  const excluded = await planExcluded(options, query.excluded);
  if (excluded === null) return null;
  const runs = query.runs.flatMap((run) => planRun(query, wanted, run));
  const { plans, isComplete } = limitPostings([...wanted, ...excluded, ...runs]);
  const [excludedAt, runsAt] = [wanted.length, wanted.length + excluded.length];
  return {
    query,
    wanted,
    absent: asked.wanted.filter((_, n) => isAbsent(requireItem(all[n]))),
    reads: { wanted: plans.slice(0, excludedAt), excluded: plans.slice(excludedAt, runsAt), runs: plans.slice(runsAt) },
    isComplete,
  };
}

/** By clause: the words that its run is when written as one. */
function mapJoinedWords(runs: readonly Run[]): ReadonlyMap<number, readonly string[]> {
  const joinedWords = new Map<number, string[]>();
  for (const { clauses, joined } of runs) {
    if (joined === undefined) continue;
    for (const clause of clauses) joinedWords.set(clause, [...(joinedWords.get(clause) ?? []), joined]);
  }
  return joinedWords;
}

const maxRunLength = 12;

/** A phrase of the words of a run exactly as asked. Empty if the run is not one phrase. */
function planRun({ wanted }: SearchQuery, plans: readonly ClausePlan[], { clauses }: Run): ClausePlan[] {
  if (clauses.length < 2 || clauses.length > maxRunLength) return [];
  const words = clauses.map((clause) => {
    const asked = wanted[clause];
    if (asked?.kind !== "word" || isUnspaced(asked.form)) return [];
    return requireItem(plans[clause]).terms.filter(({ term }) => term === asked.form);
  });
  const phrases = words.every((terms) => terms.length > 0) ? makePhrases(words, 1) : [];
  return phrases.length === 0
    ? []
    : [{ terms: [], phrases, expansions: [], isTruncated: false, isGuess: false, contentCounts: [] }];
}

const countPostings = ({ terms, phrases }: ClausePlan): number => sumDocCounts(terms) + sumDocCounts(phrases);

/** A guess at a typo means that no document contains the word. */
const isAbsent = (plan: ClausePlan): boolean => plan.isGuess || countPostings(plan) === 0;

function keepRarest(
  query: SearchQuery,
  plans: readonly ClausePlan[],
): { query: SearchQuery; wanted: readonly ClausePlan[] } {
  if (plans.length <= maxClauses) return { query, wanted: plans };
  const kept = plans
    // A clause without postings finds nothing, so it goes last.
    .map((plan, n) => ({ n, postings: countPostings(plan) || Number.POSITIVE_INFINITY }))
    .sort((a, b) => (a.postings < b.postings ? -1 : a.postings > b.postings ? 1 : a.n - b.n))
    .slice(0, maxClauses)
    .map(({ n }) => n)
    .sort((a, b) => a - b);
  const places = new Map(kept.map((n, place) => [n, place]));
  const adjacent = mapPairs(query.adjacent, places);
  return {
    query: { ...query, wanted: kept.map((n) => requireItem(query.wanted[n])), runs: [], adjacent },
    wanted: kept.map((n) => requireItem(plans[n])),
  };
}

/** Takes rare clauses whole, and only the newest postings of clauses that exceed the limit. */
function limitPostings(plans: readonly ClausePlan[]): { plans: ClausePlan[]; isComplete: boolean } {
  let left = maxPostings;
  let isComplete = true;
  const limited = [...plans];
  const byPostings = plans
    .map((plan, n) => ({ plan, n, postings: countPostings(plan) }))
    .sort((a, b) => a.postings - b.postings);
  for (const { plan, n, postings } of byPostings) {
    if (postings <= left) {
      left -= postings;
      continue;
    }
    isComplete = false;
    const newestFirst = plan.terms
      .flatMap((term) =>
        term.entries.length === 1
          ? [term]
          : term.entries.map((entry) => ({ ...term, entries: [entry], docCount: entry.docCount })),
      )
      .sort((a, b) => requireItem(b.entries[0]).lastDoc - requireItem(a.entries[0]).lastDoc);
    const terms = newestFirst.filter(({ docCount }) => {
      left -= docCount;
      return left >= 0;
    });
    limited[n] = { ...plan, terms, phrases: [] };
    left = Math.max(0, left);
  }
  return { plans: limited, isComplete };
}
