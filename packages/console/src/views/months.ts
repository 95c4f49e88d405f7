import { createDay, type Day } from "@pdpp/language/dates/time-span";
import { getDaysRange, type InstantRange, toDay } from "../days/calendar.ts";

/** Months in the owner's time zone, written as 2026-07. */

const monthShape = /^(\d{4})-(\d\d)$/;

function getFirstDay(month: string): Day | undefined {
  const [, year = "", number = ""] = monthShape.exec(month) ?? [];
  return createDay(Number(year), Number(number), 1) ?? undefined;
}

/** Undefined unless it is a month. */
export const parseMonth = (text: string | undefined): string | undefined =>
  text !== undefined &&
  Number(text.slice(0, 4)) > 1 &&
  Number(text.slice(0, 4)) < 9998 &&
  getFirstDay(text) !== undefined
    ? text
    : undefined;

export const toMonth = (at: number, zone: string): string => toDay(at, zone).toString().slice(0, 7);

export function getMonthRange(month: string, zone: string): InstantRange {
  const first = getFirstDay(month);
  return first === undefined ? { start: 0, end: 0 } : getDaysRange(first, first.add({ months: 1 }), zone);
}

const longFormat = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const shortFormat = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });
const toUtc = (month: string): number => Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1, 1);

/** July 2026 */
export const formatMonthName = (month: string): string => longFormat.format(toUtc(month));
/** Jul */
export const formatShortMonthName = (month: string): string => shortFormat.format(toUtc(month));
