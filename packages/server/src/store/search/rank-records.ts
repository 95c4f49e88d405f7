import type { SearchQuery } from "@pdpp/language/query/query";
import { type Ranking, rank } from "@pdpp/word-index/rank/rank";
import { yieldToEventLoop } from "../engine/yield-to-event-loop.ts";
import { countRecords } from "../records/records.ts";
import { openChunkStore } from "./chunk-store.ts";
import { loadSources, type SearchedStream, type SourceOptions, type StreamSource } from "./sources.ts";

export interface RecordSearch extends SourceOptions {
  readonly streams: readonly SearchedStream[];
  readonly query: SearchQuery;
  /** If this many records match every word of a query that is not a question, others need not be ranked. */
  readonly enoughFullMatches?: number | undefined;
  /** Throws if the client disconnected or the search takes too long. */
  throwIfStopped(): void;
}

export interface RecordRanking extends Omit<Ranking, "ranked"> {
  readonly ranked: readonly RankedRecords[];
}

export type RankedRecords = Ranking["ranked"][number] & Pick<StreamSource, "stream" | "connectionNo">;

/** A light search reads at most this, which takes less time than asking another thread. */
const maxLightBytes = 96 * 1024;

/** Ranks the records of these streams. Null if a light search would have to read too much. */
export async function rankRecords(search: RecordSearch, weight: "light" | "heavy"): Promise<RecordRanking | null> {
  const { on, words, streams, query, maxDoc } = search;
  const sources = await loadSources(search, streams);
  const ownerNo = streams[0]?.scope.ownerNo ?? 0;
  const ranking = await rank(
    {
      chunks: openChunkStore(on, ownerNo),
      dictionaries: words.dictionaries,
      sources,
      maxDoc,
      maxBytes: weight === "light" ? maxLightBytes : Number.POSITIVE_INFINITY,
      countDocs: () => countSearchedRecords(search),
      ...(search.enoughFullMatches === undefined ? {} : { enoughFullMatches: search.enoughFullMatches }),
      throwIfStopped: () => search.throwIfStopped(),
      yieldIfDue: yieldToEventLoop,
    },
    query,
  );
  if (ranking === null) return null;
  return { ...ranking, ranked: ranking.ranked.map((each) => ({ ...each, ...getOrigin(sources, each.sourceNo) })) };
}

function getOrigin(sources: readonly StreamSource[], sourceNo: number): Pick<StreamSource, "stream" | "connectionNo"> {
  const source = sources[sourceNo];
  if (source === undefined) throw new RangeError(`There is no source ${sourceNo}.`);
  return { stream: source.stream, connectionNo: source.connectionNo };
}

/** Includes records without any indexed word. */
async function countSearchedRecords({ on, words, streams, revision }: RecordSearch): Promise<number> {
  let total = 0;
  for (const { scope, conditions } of streams) {
    if (conditions.length > 0 || scope.time !== undefined || scope.resources !== undefined) {
      total += await countRecords(on, scope, conditions);
      continue;
    }
    const owner = await words.loadSegments(on, scope.ownerNo, revision);
    for (const { no } of scope.connections) total += owner.countRecords(scope.stream.streamNo, no);
  }
  return total;
}
