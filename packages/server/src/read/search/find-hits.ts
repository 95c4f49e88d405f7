import type { SearchQuery } from "@pdpp/language/query/query";
import type { NeighbourMatch } from "@pdpp/word-index/rank/neighbours";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadHorizon } from "../../store/records/changes.ts";
import { type RecordRanking, rankRecords } from "../../store/search/rank-records.ts";
import type { SearchedStream } from "../../store/search/sources.ts";
import { type ReadContext, type TooHeavy, tooHeavy } from "../context.ts";
import { preferTimes } from "./prefer-times.ts";
import type { Question } from "./search-question.ts";

/** Finds which records are on a page of a search, in order. `search-results.ts` builds what is shown. */

type Tier = "all" | "most" | "any";

function getTier(matched: number, wanted: number): Tier {
  if (matched === wanted) return "all";
  return matched * 2 > wanted ? "most" : "any";
}

export interface HitPage {
  readonly upTo: number;
  readonly offset: number;
  /** The hits from `offset`: `limit` of them, and more if some may be collapsed. */
  readonly page: readonly RankedHit[];
  readonly ranking: RecordRanking;
  readonly tiers: Readonly<Record<Tier, number>>;
}

export async function findHits<T>(
  context: ReadContext,
  question: Question,
  use: (on: ReadTransaction, found: HitPage) => Promise<T | TooHeavy>,
): Promise<T | TooHeavy> {
  const { engine } = context.store;
  // A search for rare words takes less time than handing it to a thread.
  const findAs = (weight: "light" | "heavy") =>
    engine.read(async (on) => {
      const found = await rankPage(on, context, question, weight);
      return found === tooHeavy ? tooHeavy : use(on, found);
    }, weight);
  if ((engine.readsInProcess || context.isLightOnly) && isQuickToRank(question)) {
    const light = await findAs("light");
    if (light !== tooHeavy) return light;
  }
  return context.isLightOnly ? tooHeavy : findAs("heavy");
}

/** How many extra hits may be collapsed into those of a page. */
const maxCollapsible = 45;

const maxLightClauses = 24;
const minLightPrefix = 3;
const maxLightHits = 1000;

const isQuickToRank = ({ query: { wanted, excluded } }: Question): boolean =>
  wanted.length + excluded.length <= maxLightClauses &&
  [...wanted, ...excluded].every((clause) => clause.kind !== "prefix" || clause.prefix.length >= minLightPrefix);

async function rankPage(
  on: ReadTransaction,
  context: ReadContext,
  { query, streams, limit, collapse, from, spread, preferred }: Question,
  weight: "light" | "heavy",
): Promise<HitPage | TooHeavy> {
  const { store, scope, throwIfStopped } = context;
  const now = await loadHorizon(on, scope.ownerNo);
  const upTo = from?.upTo ?? now.current;
  const offset = from?.offset ?? 0;
  const revision = now.indexRevision;
  const most = Math.max(offset + limit + (collapse ? maxCollapsible : 0), diversifiedHits);
  const search = {
    on,
    words: store.words,
    streams,
    query,
    maxDoc: upTo,
    revision,
    enoughFullMatches: spread === undefined ? most : undefined,
    throwIfStopped,
  };
  const ranking = await rankRecords(search, weight);
  if (ranking === null) return tooHeavy;
  if (preferred !== undefined) await preferTimes(on, context, ranking.ranked, preferred);
  const end = offset + limit + (collapse ? maxCollapsible : 0);
  const { best: ordered, tiers } = orderHits(ranking, ranking.query, most);
  const best = diversify(ordered, collapse);
  // Counting hits by time reads each of them.
  if (weight === "light" && spread !== undefined && tiers.all + tiers.most + tiers.any > maxLightHits) return tooHeavy;
  return { upTo, offset, page: best.slice(offset, end), ranking, tiers };
}

export interface RankedHit {
  readonly stream: SearchedStream;
  readonly doc: number;
  readonly score: number;
  readonly beside: readonly NeighbourMatch[];
}

interface TieredHit extends RankedHit {
  readonly tier: number;
  readonly source: number;
}

/**
 * Orders hits and counts them. For bare words, records with all of them come first; the others, and all hits of a
 * question, are ordered by score. Records that match only by a typo correction come last. Ties go to the newer record.
 */
function orderHits({ ranked, unrankedCounts }: RecordRanking, { wanted, isQuestion }: SearchQuery, most: number) {
  const best: TieredHit[] = [];
  const tiers = { all: 0, most: 0, any: 0 };
  for (const [matched, count] of unrankedCounts.entries()) tiers[getTier(matched, wanted.length)] += count;
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
      best.splice(findInsertIndex(best, tier, score, doc), 0, hit);
      if (best.length > most) best.pop();
    }
  }
  return { best, tiers };
}

const minSeries = 5;

/** How many of the best hits are diversified. Constant, so that pages agree on the order. */
const diversifiedHits = 50;
/** From the third hit of a source on, scores are reduced up to a limit, enough to decide between close ones. */
const repeatedSource = { free: 2, weight: 0.85, most: 3 };

/**
 * Among hits of similar score, prefers sources that have fewer hits so far. If hits are collapsed, many hits of one
 * source with the same score are probably a series: they stay together and count as one.
 */
function diversify(ordered: readonly TieredHit[], keepSeries: boolean): TieredHit[] {
  let left = ordered.slice(0, diversifiedHits);
  const chosen: TieredHit[] = [];
  const shown = new Map<number, number>();
  const discountScore = ({ score, source }: TieredHit): number => {
    const repeats = Math.max(0, (shown.get(source) ?? 0) + 1 - repeatedSource.free);
    return score * repeatedSource.weight ** Math.min(repeatedSource.most, repeats);
  };
  while (left.length > 0) {
    let [next, highest] = [0, discountScore(left[0]!)];
    for (let i = 1; i < left.length && left[i]!.tier === left[0]!.tier; i += 1) {
      const discounted = discountScore(left[i]!);
      if (discounted > highest) [next, highest] = [i, discounted];
    }
    const { source, score, tier } = left[next]!;
    const isLike = (hit: TieredHit) => hit.source === source && hit.score === score && hit.tier === tier;
    const alike = left.filter(isLike);
    const taken = new Set(keepSeries && alike.length >= minSeries ? alike : [left[next]!]);
    chosen.push(...taken);
    left = left.filter((hit) => !taken.has(hit));
    shown.set(source, (shown.get(source) ?? 0) + 1);
  }
  return [...chosen, ...ordered.slice(diversifiedHits)];
}

function isBefore(tier: number, score: number, doc: number, other: TieredHit): boolean {
  return (tier - other.tier || other.score - score || other.doc - doc) < 0;
}

function findInsertIndex(best: readonly TieredHit[], tier: number, score: number, doc: number): number {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(tier, score, doc, best[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
