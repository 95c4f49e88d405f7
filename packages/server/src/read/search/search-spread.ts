import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { HitSpread } from "@pdpp/contract/wire";
import { zoneOffset } from "@pdpp/evidence/text/local-time";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadTimes } from "../../store/search/doc-queries.ts";
import type { RankedRecords, RecordRanking } from "../../store/search/rank-records.ts";
import { instantAfter } from "../aggregate/time-buckets.ts";
import type { ReadContext } from "../context.ts";
import { comparedTime } from "./search-question.ts";

/**
 * How the hits of a search lie over sources and time. Counted are the hits themselves, so nothing outside the scope is; a period's
 * `since` and `until` give those very hits again.
 */

/** When so many hits are from is looked at, which takes about as long as finding them; of more, an even selection. */
const mostTimes = 4000;
/** So many names of records go into one statement. */
const batch = 5000;
const mostPeriods = 200;

export async function spreadOf(
  on: ReadTransaction,
  { store, scope: { timeZone }, stillWanted }: ReadContext,
  { ranked }: RecordRanking,
  wanted: NonNullable<Input<"search">["spread"]>,
  most = mostTimes,
): Promise<HitSpread> {
  const found = ranked.map(({ stream: { scope }, connectionNo, docs, matchCounts }) => ({
    scope,
    connectionNo,
    docs: docs.filter((_, place) => (matchCounts[place] ?? 0) > 0),
  }));
  const total = found.reduce((sum, { docs }) => sum + docs.length, 0);
  // By the clock of the owner's zone, as `since` and `until` are read.
  const times: number[] = [];
  let [withoutTime, counted] = [0, 0];
  for (const { scope, connectionNo, docs } of found) {
    const time = comparedTime(scope);
    const chosen = evenly(docs, Math.ceil(total / most));
    counted += chosen.length;
    if (time === undefined) {
      withoutTime += chosen.length;
      continue;
    }
    for (let i = 0; i < chosen.length; i += batch) {
      stillWanted();
      const some = chosen.slice(i, i + batch);
      const held = await loadTimes(on, store.engine.dialect, { scope, connectionNo }, time.column, some);
      for (const at of held)
        if (at === null) withoutTime += 1;
        else times.push(time.column.kind === "date" ? at : at + zoneOffset(timeZone, at));
    }
  }
  return { sources: sourcesOf(found), ...periodsOf(times, wanted), without_time: withoutTime, counted };
}

/** Every n-th, by when they were stored. */
const evenly = (docs: readonly number[], n: number): readonly number[] =>
  n <= 1 ? docs : docs.toSorted((a, b) => a - b).filter((_, i) => i % n === 0);

interface FoundIn {
  readonly scope: RankedRecords["stream"]["scope"];
  readonly connectionNo: number;
  readonly docs: readonly number[];
}

const sourcesOf = (found: readonly FoundIn[]): HitSpread["sources"] =>
  found
    .flatMap(({ scope, connectionNo, docs }) => {
      const connection = scope.connections.find(({ no }) => no === connectionNo);
      if (docs.length === 0 || connection === undefined) return [];
      return [{ connection_id: connection.id, stream: scope.stream.declaration.name, count: docs.length }];
    })
    .sort((a, b) => b.count - a.count || compare(a.connection_id, b.connection_id) || compare(a.stream, b.stream));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const day = 86_400_000;

/** As many periods as a person takes in at a glance. */
function granularityOf(times: readonly number[]): HitSpread["granularity"] {
  const first = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  if (last - first > 3 * 366 * day) return "year";
  return last - first > 45 * day ? "month" : "day";
}

/** How much of a date says the period. */
const written = { year: 4, month: 7, day: 10 } as const;

function periodsOf(
  times: readonly number[],
  wanted: NonNullable<Input<"search">["spread"]>,
): Pick<HitSpread, "granularity" | "times" | "earlier_count"> {
  const granularity = wanted === "auto" ? granularityOf(times) : wanted;
  const counts = new Map<string, number>();
  for (const at of times) {
    const key = `${formatInstant(at).slice(0, written[granularity])}${"-01-01".slice(written[granularity] - 4)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const all = [...counts].sort(([a], [b]) => compare(a, b));
  const shown = all.slice(-mostPeriods);
  return {
    granularity,
    times: shown.map(([since, count]) => ({
      since,
      until: formatInstant(instantAfter(granularity, "UTC", since)).slice(0, 10),
      count,
    })),
    earlier_count: all.slice(0, all.length - shown.length).reduce((sum, [, count]) => sum + count, 0),
  };
}
