import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { CountedView } from "../days/day-counts.ts";
import { createBackgroundCache } from "../frame/background-cache.ts";

/** How many records of streams each month has. */

export interface MonthlyStream {
  readonly connection: string;
  readonly declaration: StreamDeclaration;
  readonly field: FieldDeclaration;
  /** Changes whenever the records change. */
  readonly state: string;
  /** Filters that select its records; each is a query of its own. */
  readonly filters: readonly Readonly<Record<string, string>>[];
}

export interface MonthCounts {
  /** Keyed by month, such as 2026-07, or by `undatedMonth`. */
  readonly streams: ReadonlyMap<MonthlyStream, ReadonlyMap<string, number>>;
  readonly isCounting: boolean;
}

/** Stands for the month of records without a time. */
export const undatedMonth = "none";

/** All months that have records, newest first. */
export function sumMonths({
  streams,
}: Pick<MonthCounts, "streams">): { readonly month: string; readonly count: number }[] {
  const months = new Map<string, number>();
  for (const counts of streams.values())
    for (const [month, count] of counts)
      if (month !== undatedMonth) months.set(month, (months.get(month) ?? 0) + count);
  return [...months].map(([month, count]) => ({ month, count })).sort((a, b) => (a.month < b.month ? 1 : -1));
}

export interface MonthCounter {
  count(view: CountedView, streams: readonly MonthlyStream[]): Promise<MonthCounts>;
}

type Counts = ReadonlyMap<string, number>;

export function createMonthCounter(now: () => number): MonthCounter {
  const cache = createBackgroundCache<Counts>(now, new Map());
  return {
    async count(view, streams) {
      const { canBeOutdated } = view;
      const loaded = await Promise.all(
        streams.map(async (stream) => {
          const key = JSON.stringify([view.key, view.zone, stream.connection, stream.declaration.name]);
          const compute = () => countMonths(view, stream);
          const counts = await cache.load({ key, state: stream.state, canBeOutdated, compute }, view.waited);
          return [stream, counts?.value] as const;
        }),
      );
      const found = new Map(loaded.flatMap(([stream, counts]) => (counts === undefined ? [] : [[stream, counts]])));
      return { streams: found, isCounting: found.size < streams.length };
    },
  };
}

const monthsPerPage = 100;
/** A hundred years and more. */
const maxPages = 15;

async function countMonths({ reader, zone }: CountedView, stream: MonthlyStream): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const filter of stream.filters) {
    let cursor: string | undefined;
    for (let page = 0; page === 0 || (cursor !== undefined && page < maxPages); page += 1) {
      const { groups = [], next_cursor } = await reader.aggregate({
        stream: stream.declaration.name,
        connection_id: stream.connection,
        metric: "count",
        group_by_time: stream.field.name,
        granularity: "month",
        ...(stream.field.kind === "date" ? {} : { time_zone: zone }),
        limit: monthsPerPage,
        filter,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { key, count } of groups) {
        const month = key === null ? undatedMonth : String(key).slice(0, 7);
        counts.set(month, (counts.get(month) ?? 0) + count);
      }
      cursor = next_cursor;
    }
  }
  return counts;
}
