import { Temporal } from "temporal-polyfill";
import type { Unit } from "./time-words.ts";

/** Calendar days of one time zone; the zone's rules are Temporal's. */

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A name from the IANA database. */
  readonly timeZone: string;
}

export type Day = Temporal.PlainDate;

/** From the first day up to, and without, the last; null is open. */
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

/** Where the day begins in the zone, with the offset that holds there. */
export const formatDayStart = (day: Day, { timeZone }: Clock): string =>
  day.toZonedDateTime(timeZone).toString({ timeZoneName: "never", smallestUnit: "second" });

/** The day, or null when the calendar has none such. */
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

/** The calendar week, month, ... that is so many after the one of `today`. A week begins on Monday, as in aggregates. */
export function createUnitSpan(today: Day, unit: Unit, after: number): ClosedSpan {
  const first = getFirstDay(today, unit);
  return createSpan(first.add(createDuration(unit, after)), createDuration(unit, 1));
}

/** So many days, weeks, ... up to the end of today. The day on which they begin is in it whole. */
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
