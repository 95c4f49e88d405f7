import { addDays, getLocalDay, getLocalMinutes } from "./days.ts";

/** Puts events into days and, within a day, side by side. */

export interface CalendarEvent {
  readonly id: string;
  readonly source: string;
  readonly stream: string;
  readonly title: string;
  readonly start: number;
  /** At least `start`. */
  readonly end: number;
  /** All-day events start and end at midnight UTC, whatever the zone. */
  readonly isAllDay: boolean;
  readonly isCancelled: boolean;
  readonly place: string | undefined;
  readonly recurrence: string | undefined;
  readonly series: string | undefined;
}

const getZone = ({ isAllDay }: CalendarEvent, zone: string): string => (isAllDay ? "UTC" : zone);

export const getFirstDay = (event: CalendarEvent, zone: string): string => getDays(event, zone).first;

/** An event that ends at midnight ends on the day before. */
export const getLastDay = (event: CalendarEvent, zone: string): string => getDays(event, zone).last;

/** Finding the local day is most of the cost of a busy month, and a page asks several times. */
const knownDays = new WeakMap<
  CalendarEvent,
  { readonly zone: string; readonly first: string; readonly last: string }
>();

function getDays(event: CalendarEvent, zone: string) {
  const known = knownDays.get(event);
  if (known?.zone === zone) return known;
  const local = getZone(event, zone);
  const first = getLocalDay(event.start, local);
  const days = { zone, first, last: event.end > event.start ? getLocalDay(event.end - 1, local) : first };
  knownDays.set(event, days);
  return days;
}

export const compareEvents = (a: CalendarEvent, b: CalendarEvent): number =>
  Number(b.isAllDay) - Number(a.isAllDay) || a.start - b.start || a.end - b.end || (a.id < b.id ? -1 : 1);

/** The events of each day, all-day events first. An event of several days is in each of them. */
export function groupByDay(
  events: readonly CalendarEvent[],
  days: readonly string[],
  zone: string,
): ReadonlyMap<string, readonly CalendarEvent[]> {
  const [from, to] = [days[0] ?? "", days.at(-1) ?? ""];
  const groups = new Map<string, CalendarEvent[]>(days.map((day) => [day, []]));
  for (const event of [...events].sort(compareEvents)) {
    const { first, last } = getDays(event, zone);
    if (first === last) {
      groups.get(first)?.push(event);
      continue;
    }
    const [, begin = from] = [first, from].sort();
    for (let day = begin; day <= last && day <= to; day = addDays(day, 1)) groups.get(day)?.push(event);
  }
  return groups;
}

export interface PlacedEvent {
  readonly event: CalendarEvent;
  /** Minutes of the day. */
  readonly from: number;
  readonly to: number;
  /** Its place among `lanes` events side by side. */
  readonly lane: number;
  readonly lanes: number;
}

const dayMinutes = 1440;
/** Shorter events would have no room for their title. */
const leastMinutes = 30;

/** Places the timed events of a day so that none covers another. */
export function placeInDay(events: readonly CalendarEvent[], day: string, zone: string): PlacedEvent[] {
  const timed = events
    .filter(({ isAllDay }) => !isAllDay)
    .map((event) => {
      const from = getFirstDay(event, zone) < day ? 0 : getLocalMinutes(event.start, zone);
      const to = getLastDay(event, zone) > day ? dayMinutes : getEndMinutes(event, zone);
      const start = Math.min(from, dayMinutes - leastMinutes);
      return { event, from: start, to: Math.min(dayMinutes, Math.max(to, start + leastMinutes)) };
    })
    .sort((a, b) => a.from - b.from || b.to - a.to || compareEvents(a.event, b.event));
  const placed: PlacedEvent[] = [];
  let cluster: (typeof timed)[number][] = [];
  let clusterEnd = 0;
  const closeCluster = () => {
    const ends: number[] = [];
    const lanes = cluster.map(({ from, to }) => {
      const free = ends.findIndex((end) => end <= from);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = to;
      return lane;
    });
    placed.push(...cluster.map((each, i) => ({ ...each, lane: lanes[i] ?? 0, lanes: ends.length })));
    cluster = [];
  };
  for (const each of timed) {
    if (each.from >= clusterEnd) closeCluster();
    cluster.push(each);
    clusterEnd = Math.max(clusterEnd, each.to);
  }
  closeCluster();
  return placed;
}

const getEndMinutes = ({ start, end }: CalendarEvent, zone: string): number => {
  const minutes = getLocalMinutes(end, zone);
  return minutes === 0 && end > start ? dayMinutes : minutes;
};
