import type { Day } from "@pdpp/language/dates/time-span";
import type { CountedView, DayCounter } from "../days/day-counts.ts";
import { type DayItem, loadFirstRecords } from "../days/day-records.ts";
import { type Entry, groupItems } from "../days/entries.ts";
import type { TimedStream } from "../days/timed-streams.ts";

/** The same date in earlier years. */

export interface EarlierYear {
  readonly day: Day;
  readonly years: number;
  readonly entries: readonly Entry<DayItem>[];
  /** Records of that day which the entries don't show. */
  readonly more: number;
}

const yearsBack = 5;
const entriesShown = 3;
const [maxStreams, perStream] = [8, 6];

export async function loadOnThisDay(
  view: CountedView,
  counter: DayCounter,
  streams: readonly TimedStream[],
  today: Day,
): Promise<{ readonly years: readonly EarlierYear[]; readonly isCounting: boolean }> {
  const { reader, zone } = view;
  const days = Array.from({ length: yearsBack }, (_, i) => today.subtract({ years: i + 1 }));
  const counts = await counter.countDays(view, streams, days);
  const years: EarlierYear[] = [];
  for (const [i, day] of days.entries()) {
    const total = counts.days.get(day.toString()) ?? 0;
    if (total === 0) continue;
    const having = streams.filter((stream) => counts.streams.get(stream)?.has(day.toString()));
    const items: DayItem[] = [];
    for (const stream of having.slice(0, maxStreams))
      items.push(...(await loadFirstRecords(reader, stream, day, zone, perStream)));
    const entries = groupItems(items).slice(0, entriesShown);
    const shown = entries.reduce((sum, entry) => sum + entry.items.length, 0);
    if (entries.length > 0) years.push({ day, years: i + 1, entries, more: Math.max(0, total - shown) });
  }
  return { years, isCounting: counts.isCounting };
}
