import type { Input } from "@pdpp/contract/operations";
import { findMentionedTimes, type MentionedTime } from "@pdpp/language/dates/mentioned-times";
import type { TimeRange } from "@pdpp/language/dates/time-span";
import { selectBestSlots } from "@pdpp/word-index/rank/best-slots";
import type { FieldColumn } from "../../store/catalog/layout.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadDocTimes } from "../../store/search/doc-queries.ts";
import type { RankedRecords } from "../../store/search/rank-records.ts";
import type { SearchedStream } from "../../store/search/sources.ts";
import type { ReadContext } from "../context.ts";
import { findComparedTime, parseTimeBound } from "./compared-time.ts";

/** Prefers records of the times that a query mentions, unless the client sends times itself. */

export interface PreferredTimes {
  /** When the first page was read, which `yesterday` refers to. */
  readonly now: number;
  readonly times: readonly MentionedTime[];
}

export function findPreferredTimes(
  { scope: { timeZone } }: ReadContext,
  { q, since, until, time }: Input<"search">,
  streams: readonly SearchedStream[],
  now: number,
): PreferredTimes | undefined {
  if (time === "words" || since !== undefined || until !== undefined) return undefined;
  if (!streams.some(({ scope }) => findComparedTime(scope) !== undefined)) return undefined;
  const times = findMentionedTimes(q, { now, timeZone });
  return times.length === 0 ? undefined : { now, times };
}

/** A record of a day counts three times: less than what it takes to outweigh the rarest word of a query. */
const timeWeight = 3;
/** If the query names no year, most likely the latest is meant. */
const earlierYearWeight = 2;
/** What happened in a year is often written later, as in a tax return. */
const longTimeWeight = 1.5;
/** A month, and the days around a day. */
const maxShortMs = 32 * 86_400_000;
/** Only the best hits are looked up. */
const maxLookedUp = 1000;

/** Raises the scores of the best hits that are of a preferred time. */
export async function preferTimes(
  on: ReadTransaction,
  { scope: { timeZone } }: ReadContext,
  ranked: readonly RankedRecords[],
  { times }: PreferredTimes,
): Promise<void> {
  const best = ranked
    .flatMap((source) => {
      const time = findComparedTime(source.stream.scope);
      return time === undefined
        ? []
        : selectBestSlots(source.docs, source.scores, maxLookedUp).map((slot) => ({ source, time, slot }));
    })
    .sort((a, b) => (b.source.scores[b.slot] ?? 0) - (a.source.scores[a.slot] ?? 0))
    .slice(0, maxLookedUp);
  const sources = [...Map.groupBy(best, ({ source }) => source)].map(([source, hits]) => ({
    source,
    hits,
    column: hits[0]!.time.column,
    within: { scope: source.stream.scope, connectionNo: source.connectionNo },
    docs: hits.map(({ slot }) => source.docs[slot] ?? 0),
  }));
  const found = await loadDocTimes(on, sources);
  for (const [n, { source, hits, column, docs }] of sources.entries()) {
    const weigh = createWeight(times, column, timeZone);
    for (const [i, { slot }] of hits.entries()) {
      const at = found[n]?.get(docs[i] ?? 0);
      if (at !== undefined) source.scores[slot] = (source.scores[slot] ?? 0) * weigh(at);
    }
  }
}

function createWeight(
  times: readonly MentionedTime[],
  { kind }: FieldColumn,
  timeZone: string,
): (at: number) => number {
  const toBounds = ({ since, until }: TimeRange) => ({
    from: since === undefined ? Number.NEGATIVE_INFINITY : (parseTimeBound(kind, since, timeZone) ?? Number.NaN),
    to: until === undefined ? Number.POSITIVE_INFINITY : (parseTimeBound(kind, until, timeZone) ?? Number.NaN),
  });
  const latest = times.map(({ range }) => toBounds(range));
  const earlier = times.flatMap((time) => time.earlier.map(toBounds));
  const short = latest.filter(({ from, to }) => to - from <= maxShortMs);
  const isIn = (bounds: typeof latest, at: number): boolean => bounds.some(({ from, to }) => from <= at && at < to);
  return (at) => {
    if (isIn(short, at)) return timeWeight;
    return isIn(earlier, at) ? earlierYearWeight : isIn(latest, at) ? longTimeWeight : 1;
  };
}
