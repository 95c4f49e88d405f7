import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import { buildConversationFilter, type ConversationPlace } from "./load-turns.ts";

/** Who wrote how much in a conversation, and when: counted in the background, because it takes as long as the conversation is. */

export interface ConversationCounts {
  readonly people: readonly { readonly name: string; readonly count: number }[];
  /** Keyed by month, such as 2026-11, earliest first. */
  readonly months: readonly { readonly month: string; readonly count: number }[];
  readonly total: number | undefined;
}

export type LoadCounts = (
  key: string,
  reader: ReadApi,
  place: Omit<ConversationPlace, "around">,
  zone: string,
) => Promise<ConversationCounts | undefined>;

const maxPeople = 12;
/** An aggregation answers with up to this many groups at once. */
const maxMonths = 100;
const [maxCached, recountAfterMs, maxWaitMs] = [500, 60_000, 400];

/** Counts that take too long are shown by the next request. */
export function createCountsLoader(now: () => number): LoadCounts {
  const cache = new Map<string, { readonly at: number; readonly counts: Promise<ConversationCounts> }>();
  return (key, reader, place, zone) => {
    const { source, declaration } = place.shape;
    const full = JSON.stringify([key, source, declaration.name, place.conversation, zone]);
    const held = cache.get(full);
    const isFresh = held !== undefined && now() - held.at < recountAfterMs;
    const counts = isFresh ? held.counts : countTurns(reader, place, zone);
    if (!isFresh) {
      counts.catch(() => cache.delete(full));
      cache.delete(full);
      cache.set(full, { at: now(), counts });
      const [oldest] = cache.keys();
      if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    }
    const waited = new Promise<undefined>((resolve) => setTimeout(resolve, maxWaitMs, undefined).unref());
    return Promise.race([counts, waited]);
  };
}

async function countTurns(
  reader: ReadApi,
  place: Omit<ConversationPlace, "around">,
  zone: string,
): Promise<ConversationCounts> {
  const { source, declaration, actor, time } = place.shape;
  const asked = {
    stream: declaration.name,
    connection_id: source,
    metric: "count" as const,
    filter: buildConversationFilter(place),
  };
  const canGroup = actor?.aggregations.includes("group_by") === true;
  const timed = declaration.fields.find(({ name }) => name === time);
  const canSpread = timed?.aggregations.includes("group_by_time") === true;
  try {
    const people = canGroup ? await reader.aggregate({ ...asked, group_by: actor.name, limit: maxPeople }) : undefined;
    const months = canSpread
      ? await reader.aggregate({
          ...asked,
          group_by_time: time,
          granularity: "month",
          time_zone: zone,
          limit: maxMonths,
        })
      : undefined;
    return {
      people: (people?.groups ?? []).flatMap(({ key, count }) =>
        typeof key === "string" ? [{ name: key, count }] : [],
      ),
      months: (months?.groups ?? [])
        .flatMap(({ key, count }) => (typeof key === "string" ? [{ month: key.slice(0, 7), count }] : []))
        .toSorted((a, b) => (a.month < b.month ? -1 : 1)),
      total: (people ?? months)?.filtered_record_count,
    };
  } catch (error) {
    if (error instanceof PdppError && error.status < 500) return { people: [], months: [], total: undefined };
    throw error;
  }
}
