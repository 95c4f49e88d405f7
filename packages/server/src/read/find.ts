import type { SearchQuery } from "@pdpp/evidence/query";
import type { StreamScope } from "../store/access/scope.ts";
import { type Connection, connections } from "../store/catalog/connections.ts";
import type { Reading } from "../store/engine/engine.ts";
import { horizon } from "../store/records/changes.ts";
import { rank } from "../store/search/search.ts";
import { rankFew } from "../store/search/search-few.ts";
import { type Ranking, type SearchedStream, type Tiers, tierNames, tierOf } from "../store/search/search-parts.ts";
import type { ReadContext } from "./context.ts";
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
  if (engine.readsInProcess) {
    const quick = await engine.read(async (on) => {
      const found = await findIn(on, context, question, rankFew);
      return found === null ? null : { used: await use(on, found) };
    });
    if (quick !== null) return quick.used;
  }
  return engine.read(async (on) => use(on, (await findIn(on, context, question, rank))!), "heavy");
}

async function findIn(
  on: Reading,
  { store, scope }: ReadContext,
  { query, streams, limit, from }: Question,
  by: typeof rankFew,
): Promise<Found | null> {
  const upTo = from?.upTo ?? (await horizon(on, scope.ownerNo)).current;
  const offset = from?.offset ?? 0;
  const held = await connections(on, scope.ownerNo);
  const searched = streams.map((stream) => ({ ...stream, whole: isWhole(stream.scope, held) }));
  const ranking = await by(on, store.engine.dialect, searched, query, upTo, offset + limit);
  if (ranking === null) return null;
  const { best, tiers } = inOrder(ranking, query, offset + limit);
  return { upTo, offset, page: best.slice(offset), ranking, tiers };
}

/** Whether the scope has every connection of its connector, so that the index need not tell them apart. */
function isWhole(scope: StreamScope, held: readonly Connection[]): boolean {
  return held.filter(({ connectorKey }) => connectorKey === scope.connectorKey).length === scope.connections.length;
}

/** Which record, by its version, and how well it answers. */
export interface RankedHit {
  readonly stream: SearchedStream;
  readonly doc: number;
  readonly score: number;
}

interface TieredHit extends RankedHit {
  /** Hits of a lower tier come first. */
  readonly tier: number;
}

/**
 * The best, best first, and how many hits there are in all. Bare words mean all of them: records that have all come first, then
 * those with most. A question is ranked by score alone. Of equals the newer comes first.
 */
function inOrder({ ranked, unranked }: Ranking, { wanted, isQuestion }: SearchQuery, most: number) {
  const best: TieredHit[] = [];
  const tiers = { ...unranked };
  for (const { stream, docs, scores } of ranked) {
    for (let place = 0; place < docs.length; place += 1) {
      const matched = scores.matchedAt(place);
      if (matched === 0) continue;
      const held = tierOf(matched, wanted.length);
      tiers[tierNames[held]!] += 1;
      const tier = isQuestion ? 0 : held;
      const last = best.length === most ? best[most - 1]! : undefined;
      if (last !== undefined && tier > last.tier) continue;
      const doc = docs[place]!;
      const score = scores.scoreAt(place);
      if (last !== undefined && !isBefore(tier, score, doc, last)) continue;
      best.splice(placeIn(best, tier, score, doc), 0, { stream, doc, score, tier });
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
