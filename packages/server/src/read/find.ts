import type { SearchQuery } from "@pdpp/evidence/query";
import { horizon } from "../store/changes.ts";
import { type Connection, connections } from "../store/connections.ts";
import type { Reading } from "../store/engine.ts";
import type { StreamScope } from "../store/scope.ts";
import { type RankedHit, type Ranking, rank } from "../store/search.ts";
import type { ReadContext } from "./context.ts";
import type { Question } from "./search-question.ts";

/** Finding: which records a page of a search has, in order. What they look like is for others to say. */

export interface Found {
  /** The version of the vault that was searched. */
  readonly upTo: number;
  readonly offset: number;
  readonly page: readonly RankedHit[];
  readonly ranking: Ranking;
  readonly tiers: Readonly<Record<Tier, number>>;
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
      const found = await findIn(on, context, question, fewRecords);
      return found === null ? null : { used: await use(on, found) };
    });
    if (quick !== null) return quick.used;
  }
  return engine.read(async (on) => use(on, (await findIn(on, context, question))!), "heavy");
}

const fewRecords = 2000;

async function findIn(
  on: Reading,
  { store, scope }: ReadContext,
  { query, streams, limit, from }: Question,
  most?: number,
): Promise<Found | null> {
  const upTo = from?.upTo ?? (await horizon(on, scope.ownerNo)).current;
  const offset = from?.offset ?? 0;
  const held = await connections(on, scope.ownerNo);
  const searched = streams.map((stream) => ({ ...stream, whole: isWhole(stream.scope, held) }));
  const ranking = await rank(on, store.engine.dialect, searched, query, upTo, most);
  if (ranking === null) return null;
  const { best, tiers } = inOrder(ranking, query, offset + limit);
  return { upTo, offset, page: best.slice(offset), ranking, tiers };
}

function isWhole(scope: StreamScope, held: readonly Connection[]): boolean {
  return held.filter(({ connectorKey }) => connectorKey === scope.connectorKey).length === scope.connections.length;
}

export type Tier = "all" | "most" | "any";

function tierOf(hit: RankedHit, { wanted }: SearchQuery): Tier {
  if (hit.matched === wanted.length) return "all";
  return hit.matched * 2 > wanted.length ? "most" : "any";
}

const tierOrder: Record<Tier, number> = { all: 0, most: 1, any: 2 };

/**
 * The best, best first, and how many hits there are in all. Bare words mean all of them: records that have all come first, then
 * those with most. A question is ranked by score alone. Of equals the newer comes first.
 */
function inOrder({ hits }: Ranking, query: SearchQuery, most: number) {
  const best: RankedHit[] = [];
  const tiers: Record<Tier, number> = { all: 0, most: 0, any: 0 };
  const rankOf = query.isQuestion ? () => 0 : (hit: RankedHit) => tierOrder[tierOf(hit, query)];
  const isBefore = (a: RankedHit, b: RankedHit): boolean =>
    (rankOf(a) - rankOf(b) || b.score - a.score || b.doc - a.doc) < 0;
  for (const hit of hits) {
    if (hit.matched === 0) continue;
    tiers[tierOf(hit, query)] += 1;
    if (best.length === most && !isBefore(hit, best[most - 1]!)) continue;
    best.splice(
      placeIn(best, (other) => isBefore(hit, other)),
      0,
      hit,
    );
    if (best.length > most) best.pop();
  }
  return { best, tiers };
}

/** Where a hit belongs among others in order: before the first that it is before. */
function placeIn(best: readonly RankedHit[], isBefore: (other: RankedHit) => boolean): number {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(best[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
