import { type ClosedSpan, createDay, createDaySpan, createMonthSpan, type Day, type Span } from "./time-span.ts";

/** A time as a question states it, before it is known which year or week is meant. */

export interface TimeMention {
  /** Token indexes. */
  readonly start: number;
  readonly end: number;
  readonly span: Span;
  /** Has no preposition. */
  readonly isBare: boolean;
  /** Relative to now: last week. */
  readonly isRelative: boolean;
  /** The same in another year, if the question names no year. */
  readonly inYear?: (year: number) => ClosedSpan | null;
}

/** Which year or week is meant if none is given: the latest that has started, the current one, or a specific year. */
export type Anchor = "latest" | "present" | number;

export interface Expression {
  readonly end: number;
  /** The preposition it needs to count as a time. */
  readonly needs: "nothing" | "edge" | "in" | "on" | "onDay";
  readonly isRelative: boolean;
  /** Takes its year from the anchor. */
  readonly isOpen: boolean;
  /** May be a person's name. */
  readonly isName: boolean;
  span(anchor: Anchor): ClosedSpan | null;
}

/** A time that does not depend on an anchor. */
export const createFixed = (end: number, needs: Expression["needs"], span: ClosedSpan): Expression => ({
  ...{ end, needs, isRelative: false, isOpen: false, isName: false },
  span: () => span,
});

export function createMention(
  start: number,
  { end, isRelative, isOpen, span }: Expression,
  isBare: boolean,
): TimeMention | null {
  const found = span("latest");
  return found && { start, end, span: found, isBare, isRelative, ...(isOpen ? { inYear: span } : {}) };
}

export const createRelative = (end: number, span: ClosedSpan): Expression => ({
  ...{ end, needs: "nothing", isRelative: true, isOpen: false, isName: false },
  span: () => span,
});

export function createFixedDay(end: number, year: number, month: number, day: number): Expression | null {
  const found = createDay(year, month, day);
  return found && createFixed(end, "on", createDaySpan(found));
}

/** A year that is given once applies to both ends; without a year, the range is the latest that has started. */
export function combineSpans(left: Expression, right: Expression): ClosedSpan | null {
  const first = left.span("latest");
  const last = right.span("latest");
  if (first === null || last === null) return null;
  const from = left.isOpen ? findLatestBefore(left, last) : first;
  const to = !left.isOpen && right.isOpen ? findEarliestAfter(right, first) : last;
  return from === null || to === null || from.from.since(to.to).sign >= 0 ? null : { from: from.from, to: to.to };
}

function findLatestBefore(expression: Expression, { from }: ClosedSpan): ClosedSpan | null {
  const same = expression.span(from.year);
  return same !== null && same.from.since(from).sign <= 0 ? same : expression.span(from.year - 1);
}

function findEarliestAfter(expression: Expression, { from }: ClosedSpan): ClosedSpan | null {
  const same = expression.span(from.year);
  return same !== null && same.from.since(from).sign >= 0 ? same : expression.span(from.year + 1);
}

export function resolveYear(today: Day, month: number, anchor: Anchor): number {
  if (typeof anchor === "number") return anchor;
  const { year, month: present } = today;
  return anchor === "present" || month <= present ? year : year - 1;
}

export function resolveMonth(today: Day, month: number, step: -1 | 0 | 1): ClosedSpan {
  const { year, month: present } = today;
  if (step === 0) return createMonthSpan(year, month);
  if (step === -1) return createMonthSpan(month < present ? year : year - 1, month);
  return createMonthSpan(month > present ? year : year + 1, month);
}

export function resolveDay(today: Day, month: number, day: number, anchor: Anchor): ClosedSpan | null {
  const { year } = today;
  const found = createDay(typeof anchor === "number" ? anchor : year, month, day);
  const isAhead = anchor === "latest" && (found === null || found.since(today).sign > 0);
  const meant = isAhead ? createDay(year - 1, month, day) : found;
  return meant === null ? null : createDaySpan(meant);
}

export function getLatestWeekday(today: Day, weekday: number): Day {
  return today.subtract({ days: (today.dayOfWeek - weekday + 7) % 7 });
}

export function resolveWeekday(today: Day, weekday: number, step: -1 | 0 | 1): Day {
  if (step === 0) return today.add({ days: weekday - today.dayOfWeek });
  const latest = getLatestWeekday(today, weekday);
  if (step === 1) return latest.add({ days: 7 });
  return latest.equals(today) ? latest.subtract({ days: 7 }) : latest;
}
