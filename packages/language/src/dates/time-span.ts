import { Temporal } from "temporal-polyfill";
import type { Unit } from "./time-words.ts";

/** Calendar days in one time zone. */

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** An IANA time zone name. */
  readonly timeZone: string;
}

export type Day = Temporal.PlainDate;

/** From the first day up to, but not including, the last; null means unbounded. */
export interface Span {
  readonly from: Day | null;
  readonly to: Day | null;
}

export interface ClosedSpan {
  readonly from: Day;
  readonly to: Day;
}

export const getToday = ({ now, timeZone }: Clock): Day =>
  Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();

export interface TimeRange {
  /** Inclusive, as a date-time with the zone's offset; absent if the range has no start. */
  readonly since?: string;
  /** Exclusive. */
  readonly until?: string;
}

export const formatSpan = ({ from, to }: Span, clock: Clock): TimeRange => ({
  ...(from === null ? {} : { since: formatDayStart(from, clock) }),
  ...(to === null ? {} : { until: formatDayStart(to, clock) }),
});

/** The start of the day in the zone, with the offset at that moment. */
const formatDayStart = (day: Day, { timeZone }: Clock): string =>
  day.toZonedDateTime(timeZone).toString({ timeZoneName: "never", smallestUnit: "second" });

/** Null if the date does not exist. */
export function createDay(year: number, month: number, day: number): Day | null {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: "reject" });
  } catch {
    return null;
  }
}

export const createDaySpan = (from: Day): ClosedSpan => ({ from, to: from.add({ days: 1 }) });
export const createMonthSpan = (year: number, month: number): ClosedSpan =>
  createSpan(new Temporal.PlainDate(year, month, 1), { months: 1 });
export const createQuarterSpan = (year: number, quarter: number): ClosedSpan =>
  createSpan(new Temporal.PlainDate(year, quarter * 3 - 2, 1), { months: 3 });
export const createYearSpan = (year: number): ClosedSpan =>
  createSpan(new Temporal.PlainDate(year, 1, 1), { years: 1 });

/** The calendar week, month and so on that is `after` units after the current one. Weeks start on Monday, as in aggregates. */
export function createUnitSpan(today: Day, unit: Unit, after: number): ClosedSpan {
  const first = getFirstDay(today, unit);
  return createSpan(first.add(createDuration(unit, after)), createDuration(unit, 1));
}

/** The last `count` days, weeks and so on up to the end of today, starting with a whole day. */
export const createSpanUpToToday = (today: Day, unit: Unit, count: number): ClosedSpan => ({
  from: today.subtract(createDuration(unit, count)),
  to: today.add({ days: 1 }),
});

function getFirstDay(day: Day, unit: Unit): Day {
  if (unit === "day") return day;
  if (unit === "week") return day.subtract({ days: day.dayOfWeek - 1 });
  if (unit === "month") return day.with({ day: 1 });
  return day.with({ day: 1, month: unit === "year" ? 1 : day.month - ((day.month - 1) % 3) });
}

const createDuration = (unit: Unit, count: number): Temporal.DurationLike =>
  unit === "quarter" ? { months: 3 * count } : { [`${unit}s`]: count };

const createSpan = (from: Day, duration: Temporal.DurationLike): ClosedSpan => ({ from, to: from.add(duration) });
