import { formatInstant } from "@pdpp/contract/instant";
import type { Input } from "@pdpp/contract/operations";
import type { HitSpread } from "@pdpp/contract/wire";
import { getZoneOffset } from "@pdpp/evidence/text/local-time";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { loadTimes } from "../../store/search/doc-queries.ts";
import type { RankedRecords, RecordRanking } from "../../store/search/rank-records.ts";
import { findInstantAfter } from "../aggregate/time-buckets.ts";
import type { ReadContext } from "../context.ts";
import { findComparedTime } from "./compared-time.ts";

/**
 * Counts the hits of a search by source and time. Only hits are counted, so nothing outside the scope is; a period's
 * `since` and `until` find the same hits again.
 */

/** How many hits are dated, which takes about as long as finding them; of more, an even sample. */
const maxTimes = 4000;
const batch = 5000;
const maxPeriods = 200;

export async function computeSpread(
  on: ReadTransaction,
  { scope: { timeZone }, throwIfStopped }: ReadContext,
  { ranked }: RecordRanking,
  wanted: NonNullable<Input<"search">["spread"]>,
  most = maxTimes,
): Promise<HitSpread> {
  const found = ranked.map(({ stream: { scope }, connectionNo, docs, matchCounts }) => ({
    scope,
    connectionNo,
    docs: docs.filter((_, place) => (matchCounts[place] ?? 0) > 0),
  }));
  const total = found.reduce((sum, { docs }) => sum + docs.length, 0);
  // In the owner's time zone, in which `since` and `until` are read.
  const times: number[] = [];
  let [withoutTime, counted] = [0, 0];
  for (const { scope, connectionNo, docs } of found) {
    const time = findComparedTime(scope);
    const chosen = sampleEvenly(docs, Math.ceil(total / most));
    counted += chosen.length;
    if (time === undefined) {
      withoutTime += chosen.length;
      continue;
    }
    for (let i = 0; i < chosen.length; i += batch) {
      throwIfStopped();
      const some = chosen.slice(i, i + batch);
      const loaded = await loadTimes(on, { scope, connectionNo }, time.column, some);
      for (const at of loaded)
        if (at === null) withoutTime += 1;
        else times.push(time.column.kind === "date" ? at : at + getZoneOffset(timeZone, at));
    }
  }
  return { sources: countBySource(found), ...countByPeriod(times, wanted), without_time: withoutTime, counted };
}

/** Every n-th by storage order. */
const sampleEvenly = (docs: readonly number[], n: number): readonly number[] =>
  n <= 1 ? docs : docs.toSorted((a, b) => a - b).filter((_, i) => i % n === 0);

interface FoundIn {
  readonly scope: RankedRecords["stream"]["scope"];
  readonly connectionNo: number;
  readonly docs: readonly number[];
}

const countBySource = (found: readonly FoundIn[]): HitSpread["sources"] =>
  found
    .flatMap(({ scope, connectionNo, docs }) => {
      const connection = scope.connections.find(({ no }) => no === connectionNo);
      if (docs.length === 0 || connection === undefined) return [];
      return [{ connection_id: connection.id, stream: scope.stream.declaration.name, count: docs.length }];
    })
    .sort((a, b) => b.count - a.count || compare(a.connection_id, b.connection_id) || compare(a.stream, b.stream));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const day = 86_400_000;

function chooseGranularity(times: readonly number[]): HitSpread["granularity"] {
  const first = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  if (last - first > 3 * 366 * day) return "year";
  return last - first > 45 * day ? "month" : "day";
}

/** The length of a date's prefix that identifies the period. */
const written = { year: 4, month: 7, day: 10 } as const;

function countByPeriod(
  times: readonly number[],
  wanted: NonNullable<Input<"search">["spread"]>,
): Pick<HitSpread, "granularity" | "times" | "earlier_count"> {
  const granularity = wanted === "auto" ? chooseGranularity(times) : wanted;
  const counts = new Map<string, number>();
  for (const at of times) {
    const key = `${formatInstant(at).slice(0, written[granularity])}${"-01-01".slice(written[granularity] - 4)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const all = [...counts].sort(([a], [b]) => compare(a, b));
  const shown = all.slice(-maxPeriods);
  return {
    granularity,
    times: shown.map(([since, count]) => ({
      since,
      until: formatInstant(findInstantAfter(granularity, "UTC", since)).slice(0, 10),
      count,
    })),
    earlier_count: all.slice(0, all.length - shown.length).reduce((sum, [, count]) => sum + count, 0),
  };
}
