import type { SearchQuery } from "@pdpp/language/query/query";
import type { NeighbourMatch } from "@pdpp/word-index/rank/neighbours";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadHorizon } from "../../store/records/changes.ts";
import { type RecordRanking, rankRecords } from "../../store/search/rank-records.ts";
import type { SearchedStream } from "../../store/search/sources.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import type { Question } from "./search-question.ts";

/** Finding: which records a page of a search has, in order. `search-results.ts` says how they are shown. */

type Tier = "all" | "most" | "any";

/** How many of the clauses a record matches. */
function getTier(matched: number, wanted: number): Tier {
  if (matched === wanted) return "all";
  return matched * 2 > wanted ? "most" : "any";
}

export interface Found {
  /** The version of the vault that was searched. */
  readonly upTo: number;
  readonly offset: number;
  /** The hits from there on: as many as the limit, and more if some of them may be collapsed. */
  readonly page: readonly RankedHit[];
  readonly ranking: RecordRanking;
  readonly tiers: Readonly<Record<Tier, number>>;
}

/** Finds, and uses what was found in the same state of the vault. */
export async function find<T>(
  context: ReadContext,
  question: Question,
  use: (on: ReadTransaction, found: Found) => Promise<T | TooHeavy>,
): Promise<T | TooHeavy> {
  const { engine } = context.store;
  // A search for words that few records have is over before it could be handed to another thread.
  const findWith = (weight: "light" | "heavy") =>
    engine.read(async (on) => {
      const found = await findIn(on, context, question, weight);
      return found === tooHeavy ? tooHeavy : use(on, found);
    }, weight);
  if ((engine.readsInProcess || context.isLightOnly) && isShort(question)) {
    const light = await findWith("light");
    if (light !== tooHeavy) return light;
  }
  return context.isLightOnly ? tooHeavy : findWith("heavy");
}

/** How many hits beyond the limit may be collapsed into those of a page. */
const collapsible = 45;

const mostLightClauses = 24;
const shortestLightPrefix = 3;
const mostLightHits = 1000;

/** Whether looking up its words takes a moment at most. */
const isShort = ({ query: { wanted, excluded } }: Question): boolean =>
  wanted.length + excluded.length <= mostLightClauses &&
  [...wanted, ...excluded].every((clause) => clause.kind !== "prefix" || clause.prefix.length >= shortestLightPrefix);

async function findIn(
  on: ReadTransaction,
  { store, scope, stillWanted }: ReadContext,
  { query, streams, limit, collapse, from, spread }: Question,
  weight: "light" | "heavy",
): Promise<Found | TooHeavy> {
  const now = await loadHorizon(on, scope.ownerNo);
  const upTo = from?.upTo ?? now.current;
  const offset = from?.offset ?? 0;
  const { dialect } = store.engine;
  const revision = now.indexRevision;
  const search = {
    on,
    dialect,
    words: store.words,
    streams,
    query,
    maxDoc: upTo,
    revision,
    throwIfCancelled: stillWanted,
  };
  const ranking = await rankRecords(search, weight);
  if (ranking === null) return tooHeavy;
  const end = offset + limit + (collapse ? collapsible : 0);
  const { best: ordered, tiers } = inOrder(ranking, ranking.query, Math.max(end, diversified));
  const best = diversify(ordered, collapse);
  // To know when many records are from, each of them is looked at.
  if (weight === "light" && spread !== undefined && tiers.all + tiers.most + tiers.any > mostLightHits) return tooHeavy;
  return { upTo, offset, page: best.slice(offset, end), ranking, tiers };
}

/** Which record, by its version, and how well it answers. */
export interface RankedHit {
  readonly stream: SearchedStream;
  readonly doc: number;
  readonly score: number;
  /** Wanted things that it does not have itself, and the records beside it that have them. */
  readonly beside: readonly NeighbourMatch[];
}

interface TieredHit extends RankedHit {
  /** Hits of a lower tier come first. */
  readonly tier: number;
  /** Which connection of which stream it is from. */
  readonly source: number;
}

/**
 * The best, best first, and how many hits there are in all. Bare words mean all of them: records that have all come first. The
 * others, and all hits of a question, are in the order of their scores. Records that only have what a word was taken for a typo of
 * come last. Of equals the newer comes first.
 */
function inOrder({ ranked }: RecordRanking, { wanted, isQuestion }: SearchQuery, most: number) {
  const best: TieredHit[] = [];
  const tiers = { all: 0, most: 0, any: 0 };
  for (const [source, { stream, docs, scores, matchCounts, certainCounts, neighbourMatches }] of ranked.entries()) {
    for (let place = 0; place < docs.length; place += 1) {
      const has = matchCounts[place] ?? 0;
      if (has === 0) continue;
      const sure = certainCounts[place] ?? 0;
      tiers[getTier(sure, wanted.length)] += 1;
      const tier = sure === 0 ? 2 : isQuestion || has === wanted.length ? 0 : 1;
      const last = best.length === most ? best[most - 1] : undefined;
      if (last !== undefined && tier > last.tier) continue;
      const doc = docs[place] ?? 0;
      const score = scores[place] ?? 0;
      if (last !== undefined && !isBefore(tier, score, doc, last)) continue;
      const hit = { stream, doc, score, tier, source, beside: neighbourMatches.get(place) ?? [] };
      best.splice(placeIn(best, tier, score, doc), 0, hit);
      if (best.length > most) best.pop();
    }
  }
  return { best, tiers };
}

const leastSeries = 5;

/** So many hits, the best ones, are mixed by source. Always as many, so that pages agree on the order. */
const diversified = 50;
/** From the third hit of a source on, each counts less, up to a limit: enough to decide between close ones. */
const repeatedSource = { free: 2, weight: 0.85, most: 3 };

/**
 * Of hits that are nearly as good, those of a source that has fewer before them come first. Where a page collapses hits, many of one source
 * with the same score are most likely a series: they stay together and count as one.
 */
function diversify(ordered: readonly TieredHit[], keepSeries: boolean): TieredHit[] {
  let left = ordered.slice(0, diversified);
  const chosen: TieredHit[] = [];
  const shown = new Map<number, number>();
  const worth = ({ score, source }: TieredHit): number => {
    const repeats = Math.max(0, (shown.get(source) ?? 0) + 1 - repeatedSource.free);
    return score * repeatedSource.weight ** Math.min(repeatedSource.most, repeats);
  };
  while (left.length > 0) {
    let next = 0;
    for (let i = 1; i < left.length && left[i]!.tier === left[0]!.tier; i += 1)
      if (worth(left[i]!) > worth(left[next]!)) next = i;
    const { source, score, tier } = left[next]!;
    const isLike = (hit: TieredHit) => hit.source === source && hit.score === score && hit.tier === tier;
    const alike = left.filter(isLike);
    const taken = new Set(keepSeries && alike.length >= leastSeries ? alike : [left[next]!]);
    chosen.push(...taken);
    left = left.filter((hit) => !taken.has(hit));
    shown.set(source, (shown.get(source) ?? 0) + 1);
  }
  return [...chosen, ...ordered.slice(diversified)];
}

function isBefore(tier: number, score: number, doc: number, other: TieredHit): boolean {
  return (tier - other.tier || other.score - score || other.doc - doc) < 0;
}

/** Where a hit belongs among others in order: before the first that it is before. */
function placeIn(best: readonly TieredHit[], tier: number, score: number, doc: number): number {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(tier, score, doc, best[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
