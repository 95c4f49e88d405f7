import type { AdjacentPair } from "@pdpp/language/query/query";
import { requireItem } from "../require-item.ts";
import { matchAdjacentWords, type RangeLoader } from "./adjacent-words.ts";
import { selectBestSlots } from "./best-slots.ts";
import type { ClauseMatches, SourceMatches } from "./collector.ts";
import { addNeighbourScores, type NeighbourMatch } from "./neighbours.ts";
import { scoreFrequency } from "./score-frequency.ts";

/** The ranked documents of one source, in parallel arrays. */
export interface RankedSource {
  readonly sourceNo: number;
  readonly docs: readonly number[];
  readonly scores: Float64Array;
  readonly matchCounts: Uint16Array;
  /** The same without guesses at typos. */
  readonly certainCounts: Uint16Array;
  /** Clauses that only neighbours of a document match, by index of the document. */
  readonly neighbourMatches: ReadonlyMap<number, readonly NeighbourMatch[]>;
}

export interface QueryStatistics {
  /** The inverse document frequency of each clause: how much it says that a document matches it. */
  readonly idf: readonly number[];
  readonly runIdf: readonly number[];
  readonly isGuess: readonly boolean[];
  /** Pairs of adjacent words to look for. */
  readonly adjacent: readonly AdjacentPair[];
  /** Whether documents that match every clause come first, whatever their score. */
  readonly areFullMatchesFirst: boolean;
  /** The coverage of a document that matches every clause that any document matches. */
  readonly maxCoverage: number;
}

const minIdf = 0.01;

export const computeIdf = (docCount: number, totalDocs: number): number =>
  Math.max(Math.log(1 + (totalDocs - docCount + 0.5) / (docCount + 0.5)), minIdf);

/**
 * The share of a score that depends on coverage: which clauses a document matches, by squared idf. A document without the rarest
 * word should rarely rank first, and a long text that repeats the common words of a question should not.
 */
const coverageShare = 0.8;

/** Scores closer than this are ties, and the newer document comes first. */
const roundScore = (score: number): number => Math.round(score * 1e6) / 1e6;

/** Null if it must read more than allowed. */
export async function scoreMatches(
  matches: SourceMatches,
  statistics: QueryStatistics,
  load: RangeLoader,
): Promise<RankedSource | null> {
  const { idf, runIdf, isGuess, maxCoverage } = statistics;
  const { sourceNo, docs, wanted, runs } = matches;
  const scores = new Float64Array(docs.length);
  const coverage = new Float64Array(docs.length);
  const matchCounts = new Uint16Array(docs.length);
  const certainCounts = isGuess.includes(true) ? new Uint16Array(docs.length) : matchCounts;
  const addScores = (clause: ClauseMatches, clauseIdf: number) => {
    for (let i = 0; i < clause.slots.length; i += 1) {
      const slot = clause.slots[i] ?? 0;
      scores[slot] = (scores[slot] ?? 0) + scoreFrequency(clauseIdf, clause.frequencies[i] ?? 0);
    }
  };
  for (const [n, clause] of wanted.entries()) {
    const clauseIdf = requireItem(idf[n]);
    addScores(clause, clauseIdf);
    for (const slot of clause.slots) coverage[slot] = (coverage[slot] ?? 0) + clauseIdf ** 2;
    addOne(matchCounts, clause.slots);
    if (certainCounts !== matchCounts && !isGuess[n]) addOne(certainCounts, clause.slots);
  }
  for (const [n, run] of runs.entries()) addScores(run, requireItem(runIdf[n]));
  const scoreClause = (clause: number, frequency: number) => scoreFrequency(requireItem(idf[clause]), frequency);
  const neighbourMatches = await addNeighbourScores(matches, scoreClause, scores);
  for (const [slot, found] of neighbourMatches)
    for (const { clause, discount } of found)
      coverage[slot] = (coverage[slot] ?? 0) + discount * requireItem(idf[clause]) ** 2;
  const weighCoverage = (slot: number): number =>
    1 - coverageShare + coverageShare * (maxCoverage > 0 ? (coverage[slot] ?? 0) / maxCoverage : 1);
  for (let slot = 0; slot < scores.length; slot += 1) scores[slot] = (scores[slot] ?? 0) * weighCoverage(slot);
  const adjacent = await matchAdjacent(matches, statistics, scores, matchCounts, load);
  if (adjacent === null) return null;
  for (const { weight, slots, frequencies } of adjacent) {
    for (const [i, slot] of slots.entries())
      scores[slot] = (scores[slot] ?? 0) + weighCoverage(slot) * scoreFrequency(weight, requireItem(frequencies[i]));
  }
  await demoteGenerated(matches, scores);
  for (let slot = 0; slot < scores.length; slot += 1) scores[slot] = roundScore(scores[slot] ?? 0);
  return { sourceNo, docs, scores, matchCounts, certainCounts, neighbourMatches };
}

/** Two adjacent words that are adjacent in a document too count again with this share of the weight of the more common one. */
const adjacentWeight = 0.4;
/** Only the best documents are looked at. */
const maxAdjacentDocs = 100;

interface AdjacentMatches extends ClauseMatches {
  readonly weight: number;
}

async function matchAdjacent(
  matches: SourceMatches,
  { idf, adjacent, areFullMatchesFirst }: QueryStatistics,
  scores: Float64Array,
  matchCounts: Uint16Array,
  load: RangeLoader,
): Promise<AdjacentMatches[] | null> {
  if (adjacent.length === 0) return [];
  const isFull = (slot: number): boolean => areFullMatchesFirst && matchCounts[slot] === idf.length;
  const full = areFullMatchesFirst
    ? selectBestSlots(
        matches.docs,
        scores.map((score, slot) => (isFull(slot) ? score : 0)),
        maxAdjacentDocs,
      )
    : [];
  const others =
    full.length < maxAdjacentDocs
      ? selectBestSlots(matches.docs, scores, maxAdjacentDocs).filter((slot) => !isFull(slot))
      : [];
  const slots = [...full, ...others].slice(0, maxAdjacentDocs);
  const matched = await matchAdjacentWords(matches, adjacent, slots, load);
  if (matched === null) return null;
  return adjacent.map(([first, second], n) => ({
    ...requireItem(matched[n]),
    weight: adjacentWeight * Math.min(requireItem(idf[first]), requireItem(idf[second])),
  }));
}

function addOne(counts: Uint16Array, slots: Int32Array): void {
  for (const slot of slots) counts[slot] = (counts[slot] ?? 0) + 1;
}

/** Generated text counts less than what it was generated from: of two close matches, the original comes first. */
const generatedWeight = 0.75;
/** Only the best documents are looked up; the others are taken to be generated. */
const maxLookedUp = 1000;

async function demoteGenerated({ source, docs }: SourceMatches, scores: Float64Array): Promise<void> {
  const { findGenerated } = source.visibility;
  if (findGenerated === undefined) return;
  const slots = selectBestSlots(docs, scores, maxLookedUp);
  const generated = await findGenerated(slots.map((slot) => docs[slot] ?? 0));
  const originals = new Set(slots.filter((slot) => !generated.has(docs[slot] ?? 0)));
  for (let slot = 0; slot < scores.length; slot += 1)
    if (!originals.has(slot)) scores[slot] = (scores[slot] ?? 0) * generatedWeight;
}
