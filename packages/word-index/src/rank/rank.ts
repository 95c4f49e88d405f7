import { type AdjacentPair, type Clause, mapPairs, parseQuery, type SearchQuery } from "@pdpp/language/query/query";
import type { ChunkStore, Source } from "../ports.ts";
import type { PlanOptions } from "../query/clause-plan.ts";
import { type DictionaryReader, loadRanges, type SegmentRange } from "../query/dictionary-reader.ts";
import { decodePostingLists, listPostingRanges, type PostingList } from "../query/posting-lists.ts";
import { type ClauseGroups, planQuery, type QueryPlan } from "../query/query-plan.ts";
import { createTermVisibility, type TermVisibility } from "../query/term-visibility.ts";
import { requireItem } from "../require-item.ts";
import { type CollectOptions, collectMatches, type SourceMatches } from "./collector.ts";
import { collectFullMatches, type FullMatches } from "./full-matches.ts";
import { computeIdf, type QueryStatistics, type RankedSource, scoreMatches } from "./scorer.ts";

export interface Search extends CollectOptions {
  readonly chunks: ChunkStore;
  readonly dictionaries: DictionaryReader;
  readonly sources: readonly Source[];
  /** A search that would have to read more is abandoned. */
  readonly maxBytes: number;
  /** The number of visible documents, including those without any indexed word. */
  countDocs(): Promise<number>;
  /** If this many documents match every word of a query that is not a question, others need not be ranked. */
  readonly enoughFullMatches?: number;
}

export interface Ranking {
  /** The query that was run: only the rarest words if there were very many. */
  readonly query: SearchQuery;
  readonly ranked: readonly RankedSource[];
  /** By number of clauses: documents that match that many, but not all, and were not ranked. */
  readonly unrankedCounts: readonly number[];
  /** Whether every matching document was ranked. */
  readonly isComplete: boolean;
  readonly idf: readonly number[];
  /** For each clause, the words searched for in addition. */
  readonly expansions: readonly (readonly (readonly string[])[])[];
  /** Clauses that no visible document matches, including those searched for as typos. */
  readonly missing: readonly Clause[];
  /** For each clause, whether it was taken for a typo. */
  readonly isGuess: readonly boolean[];
  /** Prefixes with too many words, so that only the most common were searched for. */
  readonly truncated: readonly Clause[];
  /** Phrases that no visible document contains, so that their words were searched for instead. */
  readonly unmatchedPhrases: readonly Clause[];
}

/** Ranks the visible documents with BM25, counted over visible documents alone. Null if it must read more than allowed. */
export async function rank(search: Search, query: SearchQuery): Promise<Ranking | null> {
  if (query.wanted.length === 0) return rankNothing(query);
  const visibility = createTermVisibility(search.chunks, search.sources, search.maxDoc, search.maxBytes);

  const plan = await planQuery(makePlanOptions(search, visibility), query);
  if (plan === null) return null;

  const lists = await loadPostingLists(search, plan, visibility);
  if (lists === null) return null;

  const full = collectEnoughFullMatches(search, plan, lists);
  const matches = full?.matches ?? (await collectAllMatches(search, lists, visibility));
  const docCounts = full?.docCounts ?? plan.query.wanted.map((_, clause) => countMatches(matches, clause));
  const unmatchedPhrases = findUnmatchedPhrases(plan.query, docCounts);
  if (unmatchedPhrases.length > 0) {
    const relaxed = await rank(search, relaxPhrases(plan.query, unmatchedPhrases));
    return relaxed && { ...relaxed, unmatchedPhrases };
  }

  const statistics = await computeStatistics(search, plan, matches, docCounts);
  const ranked: RankedSource[] = [];
  for (const each of matches) {
    search.throwIfStopped();
    const scored = await scoreMatches(each, statistics, loadWithin(search));
    if (scored === null) return null;
    ranked.push(scored);
  }
  const isComplete = plan.isComplete && visibility.isComplete();
  return {
    query: plan.query,
    ranked,
    unrankedCounts: full?.partialCounts ?? [],
    isComplete,
    idf: statistics.idf,
    expansions: plan.wanted.map(({ expansions }) => expansions),
    missing: isComplete ? findMissing(search, query, plan, lists, docCounts, visibility) : [],
    isGuess: statistics.isGuess,
    truncated: plan.query.wanted.filter((_, n) => plan.wanted[n]?.isTruncated),
    unmatchedPhrases: [],
  };
}

const rankNothing = (query: SearchQuery): Ranking => ({
  query,
  ranked: [],
  unrankedCounts: [],
  isComplete: true,
  idf: [],
  expansions: [],
  missing: [],
  isGuess: [],
  truncated: [],
  unmatchedPhrases: [],
});

// Step 1: look up the words of the query in the dictionaries.

function makePlanOptions(search: Search, visibility: TermVisibility): PlanOptions {
  const { chunks, dictionaries, sources, throwIfStopped } = search;
  return {
    chunks,
    dictionaries,
    sources,
    visibility,
    throwIfStopped,
    async hasVisibleMatch(phrases) {
      const reads = { terms: [], phrases };
      const bytes = await loadRanges(chunks, listPostingRanges(reads));
      return hasVisibleDoc(search, visibility, decodePostingLists(reads, bytes.values(), throwIfStopped));
    },
  };
}

const hasVisibleDoc = ({ maxDoc }: Search, visibility: TermVisibility, lists: readonly PostingList[]): boolean =>
  lists.some(({ source, segment: { tombstones }, docs }) => {
    const isVisible = visibility.getDocFilter(source);
    return docs.some((doc) => doc <= maxDoc && tombstones?.has(doc) !== true && isVisible?.(doc) !== false);
  });

// Step 2: read the posting lists of the words found.

async function loadPostingLists(
  { chunks, maxBytes, throwIfStopped }: Search,
  { reads }: QueryPlan,
  { loadedPostings }: TermVisibility,
): Promise<ClauseGroups<PostingList[]> | null> {
  const ranges = [...reads.wanted, ...reads.excluded, ...reads.runs].flatMap(listPostingRanges);
  const missing = ranges.filter(({ range }) => !loadedPostings.has(range));
  if (missing.reduce((sum, { range }) => sum + range.size, 0) > maxBytes) return null;
  const added = (await loadRanges(chunks, missing)).values();
  const takeAdded = (): Buffer => {
    const next = added.next();
    if (next.done) throw new RangeError("Fewer posting lists were loaded than planned.");
    return next.value;
  };
  const bytes = ranges.map(({ range }) => loadedPostings.get(range) ?? takeAdded()).values();
  const decode = (plan: QueryPlan["wanted"][number]) => decodePostingLists(plan, bytes, throwIfStopped);
  return { wanted: reads.wanted.map(decode), excluded: reads.excluded.map(decode), runs: reads.runs.map(decode) };
}

// Step 3: collect the documents that match.

function collectEnoughFullMatches(
  search: Search,
  { query, wanted }: QueryPlan,
  lists: ClauseGroups<PostingList[]>,
): FullMatches | undefined {
  const { enoughFullMatches: enough } = search;
  const isOrderedByScore = query.isQuestion || wanted.some(({ isGuess }) => isGuess);
  return enough === undefined || isOrderedByScore ? undefined : collectFullMatches(search, lists, enough);
}

async function collectAllMatches(
  search: Search,
  lists: ClauseGroups<PostingList[]>,
  visibility: TermVisibility,
): Promise<SourceMatches[]> {
  const all: SourceMatches[] = [];
  for (const [sourceNo, source] of search.sources.entries()) {
    const matches = await collectMatches(search, source, sourceNo, lists, visibility.getDocFilter(sourceNo));
    if (matches !== null) all.push(matches);
  }
  return all;
}

const countMatches = (matches: readonly SourceMatches[], clause: number): number =>
  matches.reduce((sum, { wanted }) => sum + requireItem(wanted[clause]).slots.length, 0);

const findUnmatchedPhrases = ({ wanted }: SearchQuery, docCounts: readonly number[]): Clause[] =>
  wanted.filter((clause, n) => clause.kind === "phrase" && clause.forms.length > 1 && docCounts[n] === 0);

/** Searches for the words of these phrases instead. */
function relaxPhrases(query: SearchQuery, phrases: readonly Clause[]): SearchQuery {
  const wanted: Clause[] = [];
  const places = new Map<number, number>();
  const adjacent: AdjacentPair[] = [];
  for (const [n, clause] of query.wanted.entries()) {
    if (clause.kind !== "phrase" || !phrases.includes(clause)) places.set(n, wanted.push(clause) - 1);
    else {
      const words = parseQuery(clause.forms.join(" "));
      const offset = wanted.length;
      wanted.push(...words.wanted);
      for (const [first, second] of words.adjacent) adjacent.push([first + offset, second + offset]);
    }
  }
  return { ...query, wanted, runs: [], adjacent: [...mapPairs(query.adjacent, places), ...adjacent] };
}

const loadWithin =
  ({ chunks, maxBytes }: Search) =>
  async (ranges: readonly SegmentRange[]): Promise<readonly Buffer[] | null> =>
    ranges.reduce((sum, { range }) => sum + range.size, 0) > maxBytes ? null : loadRanges(chunks, ranges);

// Step 4: score the matches.

/** An identifier names one thing, so it counts more than any single word. */
const identifierWeight = 3;
/** The stop words that look like it make an acronym seem more common than it is. */
const acronymWeight = 1.5;
const isIdentifier = (clause: Clause): boolean => clause.kind === "phrase" && clause.identifier !== undefined;

async function computeStatistics(
  search: Search,
  plan: QueryPlan,
  matches: readonly SourceMatches[],
  docCounts: readonly number[],
): Promise<QueryStatistics> {
  const totalDocs = await search.countDocs();
  const idf = plan.query.wanted.map((clause, n) => {
    const whole = computeIdf(requireItem(docCounts[n]), totalDocs);
    if (isIdentifier(clause)) return whole * identifierWeight;
    if (clause.kind === "word" && clause.isAcronym === true) return whole * acronymWeight;
    const { contentCounts } = requireItem(plan.wanted[n]);
    return Math.max(
      whole,
      contentCounts.reduce((sum, docCount) => sum + computeIdf(docCount, totalDocs), 0),
    );
  });
  const runIdf = plan.reads.runs.map((_, run) => {
    const docCount = matches.reduce((sum, { runs }) => sum + requireItem(runs[run]).slots.length, 0);
    return computeIdf(docCount, totalDocs);
  });
  return {
    idf,
    runIdf,
    isGuess: plan.wanted.map(({ isGuess }) => isGuess),
    adjacent: selectAffordablePairs(plan.query.adjacent, idf, docCounts),
    areFullMatchesFirst: !plan.query.isQuestion,
    maxCoverage: idf.reduce((sum, each, n) => sum + (requireItem(docCounts[n]) > 0 ? each ** 2 : 0), 0),
  };
}

/** Beyond this many postings, further pairs are not looked for: words that common say little by being adjacent. */
const maxAdjacentPostings = 300_000;

/** The pairs with the rarest words, counted over visible documents so that hidden ones decide nothing. */
function selectAffordablePairs(
  pairs: readonly AdjacentPair[],
  idf: readonly number[],
  docCounts: readonly number[],
): AdjacentPair[] {
  const weigh = ([first, second]: AdjacentPair): number => Math.min(requireItem(idf[first]), requireItem(idf[second]));
  const read = new Set<number>();
  let left = maxAdjacentPostings;
  return pairs
    .toSorted((a, b) => weigh(b) - weigh(a))
    .filter((pair) => {
      const unread = pair.filter((clause) => !read.has(clause));
      const cost = unread.reduce((sum, clause) => sum + requireItem(docCounts[clause]), 0);
      if (cost > left) return false;
      left -= cost;
      for (const clause of unread) read.add(clause);
      return true;
    });
}

/** An excluded document still contains its words, so the posting lists decide, not the matches. */
function findMissing(
  search: Search,
  asked: SearchQuery,
  plan: QueryPlan,
  lists: ClauseGroups<PostingList[]>,
  docCounts: readonly number[],
  visibility: TermVisibility,
): Clause[] {
  return asked.wanted.filter((clause) => {
    if (plan.absent.includes(clause)) return true;
    const n = plan.query.wanted.indexOf(clause);
    return n >= 0 && docCounts[n] === 0 && !hasVisibleDoc(search, visibility, requireItem(lists.wanted[n]));
  });
}
