import { PdppError } from "@pdpp/contract/errors";
import type { ReadApi } from "@pdpp/contract/operations";
import type { SearchResult } from "@pdpp/contract/wire";
import { listMatchedWords } from "../../frame/render/marked-text.tsx";
import { buildConversationFilter, type ConversationPlace } from "./load-turns.ts";

/** The hits of a search within one conversation. */
export interface Matches {
  /** Ids of the matching turns, oldest first. */
  readonly ids: readonly string[];
  readonly words: readonly string[];
  /** Whether there are more hits than `ids`. */
  readonly hasMore: boolean;
}

const maxMatches = 100;
const none: Matches = { ids: [], words: [], hasMore: false };

export async function findMatches(
  reader: ReadApi,
  place: Omit<ConversationPlace, "around">,
  q: string | undefined,
): Promise<Matches> {
  if (q === undefined) return none;
  const { source, declaration } = place.shape;
  try {
    const found = await reader.search({
      q,
      streams: [declaration.name],
      connection_id: source,
      filter: buildConversationFilter(place),
      limit: maxMatches,
    });
    const hits = found.data.toSorted((a, b) => compareTimes(a, b));
    return { ids: hits.map(({ id }) => id), words: listMatchedWords(hits), hasMore: found.has_more };
  } catch (error) {
    // A query that can't be searched marks nothing.
    if (error instanceof PdppError && error.status < 500) return none;
    throw error;
  }
}

const compareTimes = (a: SearchResult, b: SearchResult): number => {
  const [one, other] = [String(a.event_time ?? ""), String(b.event_time ?? "")];
  return one < other ? -1 : one > other ? 1 : 0;
};
