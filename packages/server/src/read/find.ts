import type { SearchQuery } from "@pdpp/evidence/query";
import type { Reading } from "../store/engine/engine.ts";
import { horizon } from "../store/records/changes.ts";
import type { Beside } from "../store/search/neighbours.ts";
import { type Ranking, rank, type Tiers, tierNames, tierOf } from "../store/search/rank.ts";
import type { SearchedStream } from "../store/search/sources.ts";
import { type ReadContext, readHeavily } from "./context.ts";
import type { Question } from "./search-question.ts";

/** Finding: which records a page of a search has, in order. `search-results.ts` says how they are shown. */

export interface Found {
  /** The version of the vault that was searched. */
  readonly upTo: number;
  readonly offset: number;
  readonly page: readonly RankedHit[];
  readonly ranking: Ranking;
  readonly tiers: Tiers;
}

/** Finds, and uses what was found in the same state of the vault. */
export async function find<T>(
  context: ReadContext,
  question: Question,
  use: (on: Reading, found: Found) => Promise<T>,
): Promise<T> {
  const { engine } = context.store;
  // A search for words that few records have is over before it could be handed to another thread.
  if ((engine.readsInProcess || context.isLightOnly) && isShort(question)) {
    const quick = await engine.read(async (on) => {
      const found = await findIn(on, context, question, "light");
      return found === null ? null : { used: await use(on, found) };
    });
    if (quick !== null) return quick.used;
  }
  return readHeavily(context, async (on) => {
    const found = await findIn(on, context, question, "heavy");
    if (found === null) throw new Error("a heavy search is never put off");
    return use(on, found);
  });
}

const mostLightClauses = 24;
const shortestLightPrefix = 3;
const mostLightHits = 1000;

/** Whether looking up its words takes a moment at most. */
const isShort = ({ query: { wanted, excluded } }: Question): boolean =>
  wanted.length + excluded.length <= mostLightClauses &&
  [...wanted, ...excluded].every((clause) => clause.kind !== "prefix" || clause.prefix.length >= shortestLightPrefix);

async function findIn(
  on: Reading,
  { store, scope, stillWanted }: ReadContext,
  { query, streams, limit, from, spread }: Question,
  weight: "light" | "heavy",
): Promise<Found | null> {
  const now = await horizon(on, scope.ownerNo);
  const upTo = from?.upTo ?? now.current;
  const offset = from?.offset ?? 0;
  const { dialect } = store.engine;
  const revision = now.indexRevision;
  const search = { on, dialect, reader: store.words, streams, query, upTo, revision, stillWanted };
  const ranking = await rank(search, weight);
  if (ranking === null) return null;
  const { best, tiers } = inOrder(ranking, ranking.query, offset + limit);
  // To know when many records are from, each of them is looked at.
  if (weight === "light" && spread !== undefined && tiers.all + tiers.most + tiers.any > mostLightHits) return null;
  return { upTo, offset, page: best.slice(offset), ranking, tiers };
}

/** Which record, by its version, and how well it answers. */
export interface RankedHit {
  readonly stream: SearchedStream;
  readonly doc: number;
  readonly score: number;
  /** Wanted things that it does not have itself, and the records beside it that have them. */
  readonly beside: readonly Beside[];
}

interface TieredHit extends RankedHit {
  /** Hits of a lower tier come first. */
  readonly tier: number;
}

/**
 * The best, best first, and how many hits there are in all. Bare words mean all of them: records that have all come first. The
 * others, and all hits of a question, are in the order of their scores. Of equals the newer comes first.
 */
function inOrder({ ranked }: Ranking, { wanted, isQuestion }: SearchQuery, most: number) {
  const best: TieredHit[] = [];
  const tiers = { all: 0, most: 0, any: 0 };
  for (const { stream, docs, scores, matched, beside } of ranked) {
    for (let place = 0; place < docs.length; place += 1) {
      const has = matched[place] ?? 0;
      if (has === 0) continue;
      const held = tierOf(has, wanted.length);
      tiers[tierNames[held] ?? "any"] += 1;
      const tier = isQuestion || held === 0 ? 0 : 1;
      const last = best.length === most ? best[most - 1] : undefined;
      if (last !== undefined && tier > last.tier) continue;
      const doc = docs[place] ?? 0;
      const score = scores[place] ?? 0;
      if (last !== undefined && !isBefore(tier, score, doc, last)) continue;
      best.splice(placeIn(best, tier, score, doc), 0, { stream, doc, score, tier, beside: beside.get(place) ?? [] });
      if (best.length > most) best.pop();
    }
  }
  return { best, tiers };
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
