import { createDay, type Day, getToday } from "@pdpp/language/dates/time-span";

/** Calendar days in the owner's time zone, written as 2026-10-28. */

/** Years whose neighbours can be written with four digits, too. */
const [firstYear, lastYear] = [2, 9997];

export function parseDay(text: string): Day | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (Number(year) < firstYear || Number(year) > lastYear) return undefined;
  return createDay(Number(year), Number(month), Number(day)) ?? undefined;
}

export const toDay = (at: number, zone: string): Day => getToday({ now: Math.floor(at), timeZone: zone });

export interface InstantRange {
  readonly start: number;
  readonly end: number;
}

/** 23 or 25 hours long where clocks change. */
export const getDayRange = (day: Day, zone: string): InstantRange => getDaysRange(day, day.add({ days: 1 }), zone);

/** From the start of one day to the start of another. */
export const getDaysRange = (from: Day, to: Day, zone: string): InstantRange => ({
  start: from.toZonedDateTime(zone).epochMilliseconds,
  end: to.toZonedDateTime(zone).epochMilliseconds,
});

/** From the first day up to, but not including, the last. */
export function listDays(from: Day, to: Day): Day[] {
  return Array.from({ length: Math.max(0, from.until(to).days) }, (_, i) => from.add({ days: i }));
}

export const getYearStart = (day: Day): Day => day.with({ month: 1, day: 1 });

const createFormat = (options: Intl.DateTimeFormatOptions): ((day: Day) => string) => {
  const format = new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  return (day) => format.format(day.toZonedDateTime("UTC").epochMilliseconds);
};

/** The names are looked up once, because a page of a year formats hundreds of days. 5 January 2026 is a Monday. */
const listNames = (count: number, part: "weekday" | "month"): string[] => {
  const format = new Intl.DateTimeFormat("en-GB", { [part]: "long", timeZone: "UTC" });
  return Array.from({ length: count }, (_, i) =>
    format.format(part === "month" ? Date.UTC(2026, i) : Date.UTC(2026, 0, 5 + i)),
  );
};
const weekdays = listNames(7, "weekday");
const months = listNames(12, "month");
const formatDateWithoutYear = (day: Day): string => `${day.day} ${months[day.month - 1]}`;
/** Wednesday, 28 October 2026 */
export const formatLongDay = (day: Day): string => `${weekdays[day.dayOfWeek - 1]}, ${formatDate(day)}`;
/** 28 October 2026 */
export const formatDate = (day: Day): string => `${formatDateWithoutYear(day)} ${day.year}`;
/** Wednesday, 28 October */
export const formatLongDayWithoutYear = (day: Day): string =>
  `${weekdays[day.dayOfWeek - 1]}, ${formatDateWithoutYear(day)}`;
/** 28 Oct 2026 */
export const formatShortDate = createFormat({ day: "numeric", month: "short", year: "numeric" });
/** Oct */
export const formatShortMonth = createFormat({ month: "short" });

const clocks = new Map<string, Intl.DateTimeFormat>();
const maxClocks = 50;

/** 07:12, in the owner's zone. */
export function formatClock(at: number, zone: string): string {
  let clock = clocks.get(zone);
  if (clock === undefined) {
    if (clocks.size >= maxClocks) clocks.clear();
    clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone });
    clocks.set(zone, clock);
  }
  return clock.format(at);
}
