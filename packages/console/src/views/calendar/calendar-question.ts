import type { Context } from "hono";
import { readName } from "../../explore/request.ts";
import { buildUrl } from "../../frame/addresses.ts";
import { addDays, addMonths, getWeekStart, isDay, isMonth, listDays, listMonthDays } from "./days.ts";

/** The state of the calendar, as it is in the URL. */
export interface CalendarQuestion {
  /** All sources if undefined. */
  readonly source: string | undefined;
  readonly stream: string | undefined;
  readonly view: "month" | "week";
  /** A month such as 2026-10, or the Monday of a week. */
  readonly at: string;
}

/** `today` is used when the URL names no month or week. */
export function parseCalendarQuestion(c: Context, today: string): CalendarQuestion {
  const [month, week] = [c.req.query("month"), c.req.query("week")];
  const place = { source: readName(c, "source") || undefined, stream: readName(c, "stream") || undefined };
  if (week !== undefined) return { ...place, view: "week", at: getWeekStart(isDay(week) ? week : today) };
  return { ...place, view: "month", at: isMonth(month) ? month : today.slice(0, 7) };
}

/** Whether the URL says what to show. */
export const namesDays = (c: Context): boolean => isMonth(c.req.query("month")) || c.req.query("week") !== undefined;

export const getCalendarUrl = ({ source, stream, view, at }: CalendarQuestion): string =>
  buildUrl("calendar", { source, stream, [view]: at });

export const getEventsUrl = (source: string, stream: string): string => buildUrl("calendar", { source, stream });

export const listShownDays = ({ view, at }: CalendarQuestion): string[] =>
  view === "week" ? listDays(at, 7) : listMonthDays(at);

export const moveBy = (question: CalendarQuestion, steps: number): CalendarQuestion => ({
  ...question,
  at: question.view === "week" ? addDays(question.at, 7 * steps) : addMonths(question.at, steps),
});

/** The same days in the other view. A month is shown from its first week, or from today's if that is in it. */
export function switchView(question: CalendarQuestion, today: string): CalendarQuestion {
  if (question.view === "week") return { ...question, view: "month", at: addDays(question.at, 3).slice(0, 7) };
  const day = today.startsWith(question.at) ? today : `${question.at}-01`;
  return { ...question, view: "week", at: getWeekStart(day) };
}

export const showDay = (question: CalendarQuestion, day: string): CalendarQuestion => ({
  ...question,
  at: question.view === "week" ? getWeekStart(day) : day.slice(0, 7),
});
