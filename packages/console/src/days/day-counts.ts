import type { ReadApi } from "@pdpp/contract/operations";
import type { Day } from "@pdpp/language/dates/time-span";
import { createBackgroundCache } from "../frame/background-cache.ts";
import { filterByDays, type TimedStream } from "./timed-streams.ts";

/** How many records each day of a year has. Counted in the background, because a stream can be very large. */

export interface DayCounts {
  /** Keyed by day, such as 2026-10-28. */
  readonly days: ReadonlyMap<string, number>;
  /** Lacks streams that are being counted, or that could not be. */
  readonly streams: ReadonlyMap<TimedStream, ReadonlyMap<string, number>>;
  /** Streams that have changed since they were counted. */
  readonly outdated: ReadonlySet<TimedStream>;
  readonly isCounting: boolean;
}

/** Identifies the counted records and the viewer. */
export interface CountedView {
  readonly reader: ReadApi;
  readonly zone: string;
  /** Distinguishes owners and impersonated grants in the cache. */
  readonly key: string;
  /** Whether a slightly outdated count may be shown: not under a grant, whose scope may have changed. */
  readonly canBeOutdated: boolean;
  /** When the page stops waiting for counts that are not ready. */
  readonly waited: Promise<undefined>;
}

export interface DayCounter {
  /** Counts each day of the year that starts on `firstDay`. */
  countYear(view: CountedView, streams: readonly TimedStream[], firstDay: Day): Promise<DayCounts>;
  /** Counts a few days, wherever they are. */
  countDays(view: CountedView, streams: readonly TimedStream[], days: readonly Day[]): Promise<DayCounts>;
}

const maxGroups = 100;

type Counts = ReadonlyMap<string, number>;

export function createDayCounter(now: () => number): DayCounter {
  const cache = createBackgroundCache<Counts | null>(now, null);
  const load = async (
    view: CountedView,
    streams: readonly TimedStream[],
    what: string,
    compute: (stream: TimedStream) => Promise<Counts>,
  ): Promise<DayCounts> => {
    const found = new Map<TimedStream, Counts>();
    const outdated = new Set<TimedStream>();
    let isCounting = false;
    const loadStream = async (stream: TimedStream): Promise<void> => {
      const { connection, declaration, state } = stream;
      const key = JSON.stringify([view.key, view.zone, connection, declaration.name, what]);
      const asked = { key, state, canBeOutdated: view.canBeOutdated, compute: () => compute(stream) };
      const loaded = await cache.load(asked, view.waited);
      if (loaded === undefined) isCounting = true;
      else if (loaded.isOutdated) outdated.add(stream);
      if (loaded?.value) found.set(stream, loaded.value);
    };
    await Promise.all(streams.map(loadStream));
    return {
      streams: found,
      outdated,
      days: sumCounts([...found.values()]),
      isCounting,
    };
  };
  return {
    countYear: (view, streams, firstDay) =>
      load(view, streams, firstDay.toString(), (stream) => countYear(view, stream, firstDay)),
    countDays: (view, streams, days) => load(view, streams, days.join(" "), (stream) => countDays(view, stream, days)),
  };
}

export function sumCounts(all: readonly Counts[]): Map<string, number> {
  const days = new Map<string, number>();
  for (const counts of all) for (const [day, count] of counts) days.set(day, (days.get(day) ?? 0) + count);
  return days;
}

async function countDays({ reader, zone }: CountedView, stream: TimedStream, days: readonly Day[]): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const day of days) {
    const { meta } = await reader.queryRecords({
      stream: stream.declaration.name,
      connection_id: stream.connection,
      filter: filterByDays(stream, day, day.add({ days: 1 }), zone),
      limit: 1,
      count: "exact",
    });
    const count = meta.count?.value ?? 0;
    if (count > 0) counts.set(day.toString(), count);
  }
  return counts;
}

async function countYear({ reader, zone }: CountedView, stream: TimedStream, firstDay: Day): Promise<Counts> {
  const { connection, declaration, field } = stream;
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const { groups = [], next_cursor } = await reader.aggregate({
      stream: declaration.name,
      connection_id: connection,
      metric: "count",
      group_by_time: field.name,
      granularity: "day",
      ...(field.kind === "date" ? {} : { time_zone: zone }),
      limit: maxGroups,
      filter: filterByDays(stream, firstDay, firstDay.add({ years: 1 }), zone),
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { key, count } of groups) counts.set(String(key).slice(0, 10), count);
    cursor = next_cursor;
  } while (cursor !== undefined);
  return counts;
}
