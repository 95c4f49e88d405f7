import { selectStopWords } from "../query/stop-words.ts";
import {
  type Anchor,
  combineSpans,
  createFixed,
  createFixedDay,
  createMention,
  createRelative,
  type Expression,
  getLatestWeekday,
  resolveDay,
  resolveMonth,
  resolveWeekday,
  resolveYear,
  type TimeMention,
} from "./time-expression.ts";
import {
  type Clock,
  type ClosedSpan,
  createDaySpan,
  createMonthSpan,
  createQuarterSpan,
  createSpanUpToToday,
  createUnitSpan,
  createYearSpan,
  type Day,
  getToday,
  type Span,
} from "./time-span.ts";
import {
  type Introducers,
  nameMonths,
  numberedNouns,
  shortMonths,
  type TimeLanguage,
  timeLanguages,
  vagueWords,
} from "./time-words.ts";

/** Parses a time at a position of a question, language by language. */

export interface Token {
  /** Without surrounding punctuation; empty for a quoted phrase. */
  readonly raw: string;
  /** Folded; empty if it is not a word. */
  readonly form: string;
  readonly start: number;
  readonly end: number;
  /** Followed by punctuation, so an expression cannot continue after it. */
  readonly stops: boolean;
  /** Preceded by a bracket. */
  readonly opens?: boolean;
  readonly comma?: boolean;
}

const marching = new Set("on to for in against of through past over along with from".split(" "));
const isoMonth = /^((?:19|20)\d\d)-(0[1-9]|1[0-2])$/;
const isoDay = /^((?:19|20)\d\d)-(\d\d)-(\d\d)$/;
const pointedDay = /^(\d{1,2})\.(\d{1,2})\.((?:19|20)\d\d)$/;
const monthDay = /^(\d{1,2})(?:st|nd|rd|th|er|º|°|e)?$/;
const lower = /^[^\p{Lu}]*$/u;
const capital = /^\p{Lu}/u;

export class TimeReader {
  readonly #tokens: readonly Token[];
  readonly #today: Day;
  readonly #isFrench: boolean;

  constructor(tokens: readonly Token[], clock: Clock) {
    this.#tokens = tokens;
    this.#today = getToday(clock);
    const forms = tokens.map(({ form }) => form).filter((form) => form !== "" && form !== "hier");
    // "pourquoi" is only in the French list.
    this.#isFrench = selectStopWords(forms, tokens.map(({ raw }) => raw).join(" ")).has("pourquoi");
  }

  /** The longest time that starts at this token. */
  readTime(at: number): TimeMention | null {
    let best: TimeMention | null = null;
    for (const language of timeLanguages) {
      const mention = this.#readRange(at, language) ?? this.#readSide(at, language) ?? this.#readWithin(at, language);
      if (mention !== null && mention.end > (best?.end ?? at)) best = mention;
    }
    return best;
  }

  /** A day that starts at this token, even if no preposition says that it is a time: 7 May, 2026-05-07. */
  readDay(at: number): TimeMention | null {
    const days = timeLanguages.flatMap((language) => this.#readDate(at, language) ?? []);
    const longest = days.reduce<Expression | null>((best, each) => (each.end > (best?.end ?? at) ? each : best), null);
    return longest && createMention(at, longest, true);
  }

  /** Whether a word belongs to the vocabulary of time, even if it is not a time by itself. */
  isTimeWord(at: number): boolean {
    const token = this.#tokens[at];
    if (token === undefined) return false;
    if (isoMonth.test(token.raw) || isoDay.test(token.raw) || pointedDay.test(token.raw)) return true;
    if (this.#readYear(at, 1990) !== null || /^q[1-4]$/i.test(token.raw)) return true;
    return timeLanguages.some(
      ({ months, weekdays, days }) => months.has(token.form) || weekdays.has(token.form) || days.has(token.form),
    );
  }

  isVague(at: number): boolean {
    const token = this.#tokens[at];
    return token !== undefined && !token.stops && vagueWords.has(token.form);
  }

  /** between March and May, from 2026-03-01 to 2026-03-15 */
  #readRange(at: number, language: TimeLanguage): TimeMention | null {
    for (const [first, second] of [
      [language.between, language.and],
      [language.from, language.to],
    ] as const) {
      for (const begin of this.#skipIntroducers(at, first)) {
        const left = this.#readExpression(begin, language);
        if (left === null || this.#tokens[left.end - 1]!.stops) continue;
        for (const middle of this.#skipIntroducers(left.end, second)) {
          const right = this.#readExpression(middle, language);
          if (right === null || (left.isName && right.isName)) continue;
          const span = combineSpans(left, right);
          if (span !== null) return { start: at, end: right.end, span, isBare: false, isRelative: false };
        }
      }
    }
    return null;
  }

  /** since March, before 2026-04-01, until June */
  #readSide(at: number, language: TimeLanguage): TimeMention | null {
    const sides: [Introducers, Anchor, (span: ClosedSpan) => Span, beside?: true][] = [
      [language.since, "latest", ({ from }) => ({ from, to: null })],
      [language.until, "present", ({ to }) => ({ from: null, to })],
      [language.before, "present", ({ from }) => ({ from: null, to: from }), true],
      [language.after, "latest", ({ to }) => ({ from: to, to: null }), true],
    ];
    for (const [introducers, anchor, sideOf, beside] of sides) {
      for (const begin of this.#skipIntroducers(at, introducers)) {
        const expression = this.#readExpression(begin, language);
        const span = expression?.span(anchor) ?? null;
        // "the day before yesterday" is a single day.
        if (expression === null || span === null || (beside && expression.isRelative)) continue;
        return { start: at, end: expression.end, span: sideOf(span), isBare: false, isRelative: expression.isRelative };
      }
    }
    return null;
  }

  /** in March, on Monday, last week, March 2026 */
  #readWithin(at: number, language: TimeLanguage): TimeMention | null {
    const { in: within, inThe, on, onDay } = language;
    const introduced: [Introducers, (expression: Expression) => boolean][] = [
      [within, ({ needs, isRelative }) => (needs === "in" || needs === "nothing" || needs === "edge") && !isRelative],
      [inThe, ({ isRelative }) => isRelative],
      [on, ({ needs }) => needs === "on"],
      [onDay, ({ needs }) => needs === "onDay"],
    ];
    for (const [introducers, isMeant] of introduced) {
      for (const begin of this.#skipIntroducers(at, introducers)) {
        const expression = this.#readExpression(begin, language);
        const mention = expression !== null && isMeant(expression) ? createMention(at, expression, false) : null;
        if (mention !== null) return mention;
      }
    }
    const expression = this.#readExpression(at, language);
    if (expression === null) return null;
    const isEdge = at === 0 || expression.end === this.#tokens.length;
    const isMeant =
      expression.needs === "nothing" || (expression.needs === "edge" && isEdge && !this.#followsNumberedNoun(at));
    return isMeant ? createMention(at, expression, true) : null;
  }

  /** The index after each introducer found at this token. */
  #skipIntroducers(at: number, introducers: Introducers): number[] {
    return introducers.flatMap((words) => {
      const stand = words.every((word, i) => {
        const token = this.#tokens[at + i];
        return token?.form === word && !token.stops && (i === 0 || !token.opens);
      });
      const next = this.#tokens[at + words.length];
      return stand && next !== undefined && !next.opens ? [at + words.length] : [];
    });
  }

  #readExpression(at: number, language: TimeLanguage): Expression | null {
    return (
      this.#readRelative(at, language) ??
      this.#readDate(at, language) ??
      this.#readMonth(at, language) ??
      this.#readQuarter(at) ??
      this.#readYearOrWeekday(at, language)
    );
  }

  /** yesterday, last week, last 3 days, last March, next Monday */
  #readRelative(at: number, language: TimeLanguage): Expression | null {
    const [first, second, third] = [this.#tokens[at], this.#getNext(at), this.#getNext(at + 1)];
    if (first === undefined) return null;
    const day = language.days.get(first.form);
    if (day !== undefined)
      return this.#isPlainDay(first) ? createRelative(at + 1, createDaySpan(this.#today.add({ days: day }))) : null;
    if (second === undefined) return null;
    if (third !== undefined) {
      const isPast = language.lasts.has(first.form) || language.lasts.has(second.form);
      const count = parseNumber(language.lasts.has(first.form) ? second : first, language);
      const unit = language.pluralUnits.get(third.form);
      if (isPast && count !== null && unit !== undefined && this.#isPlain(first, third, language))
        return createRelative(at + 3, createSpanUpToToday(this.#today, unit, count));
    }
    // In some languages the noun comes first: le mois dernier.
    for (const [which, noun, place] of [
      [first, second, at + 1],
      [second, first, at],
    ] as const) {
      const step = getStep(which.form, language);
      if (step === null) continue;
      const unit = language.units.get(noun.form);
      if (unit !== undefined && this.#isPlain(which, noun, language)) {
        const span =
          step === "past" ? createSpanUpToToday(this.#today, unit, 1) : createUnitSpan(this.#today, unit, step);
        return createRelative(at + 2, span);
      }
      if (step === "past" || !this.#isPlainWord(which)) continue;
      const month = language.months.get(noun.form);
      // "may" may be a verb.
      if (month !== undefined && !(noun.form === "may" && lower.test(noun.raw)) && this.#isMonth(place))
        return createRelative(at + 2, resolveMonth(this.#today, month, step));
      const weekday = language.weekdays.get(noun.form);
      if (weekday !== undefined)
        return createRelative(at + 2, createDaySpan(resolveWeekday(this.#today, weekday, step)));
    }
    return null;
  }

  /** 2026-03-14, 14 March 2026, March 14, 14.3.2026 */
  #readDate(at: number, language: TimeLanguage): Expression | null {
    const { raw } = this.#tokens[at] ?? { raw: "" };
    const iso = isoDay.exec(raw);
    if (iso !== null) return createFixedDay(at + 1, Number(iso[1]), Number(iso[2]), Number(iso[3]));
    const pointed = pointedDay.exec(raw);
    if (pointed !== null) return createFixedDay(at + 1, Number(pointed[3]), Number(pointed[2]), Number(pointed[1]));
    const dayFirst = this.#readDayNumber(at);
    const inFront = dayFirst === null ? -1 : this.#skipOf(at + 1, language);
    const month = dayFirst === null ? this.#readMonthNumber(at, language) : this.#readMonthNumber(inFront, language);
    const day = dayFirst ?? (month === null || this.#tokens[at]!.stops ? null : this.#readDayNumber(at + 1));
    if (month === null || day === null || (dayFirst !== null && this.#tokens[at]!.stops)) return null;
    const last = dayFirst === null ? at + 1 : inFront;
    const { stops, comma } = this.#tokens[last]!;
    const yearAt = stops && !comma ? -1 : this.#skipOf(last + 1, language);
    const year = this.#readYear(yearAt, 1900);
    if (year !== null) return createFixedDay(yearAt + 1, year, month, day);
    return {
      ...{ end: last + 1, needs: "on", isRelative: false, isOpen: true, isName: false },
      span: (anchor) => resolveDay(this.#today, month, day, anchor),
    };
  }

  /** March 2026, 2026-03, and March */
  #readMonth(at: number, language: TimeLanguage): Expression | null {
    const token = this.#tokens[at];
    if (token === undefined) return null;
    const iso = isoMonth.exec(token.raw);
    if (iso !== null) {
      return createFixed(at + 1, "edge", createMonthSpan(Number(iso[1]), Number(iso[2])));
    }
    const month = this.#readMonthNumber(at, language);
    if (month === null) return null;
    const yearAt = token.stops ? -1 : this.#skipOf(at + 1, language);
    const year = this.#readYear(yearAt, 1900);
    if (year !== null) {
      return createFixed(yearAt + 1, "nothing", createMonthSpan(year, month));
    }
    if (!language.months.has(token.form) || !this.#isMonth(at)) return null;
    return {
      ...{ end: at + 1, needs: "in", isRelative: false, isOpen: true, isName: nameMonths.has(token.form) },
      span: (anchor) => createMonthSpan(resolveYear(this.#today, month, anchor), month),
    };
  }

  /** Q1 2026, 2026-Q1 */
  #readQuarter(at: number): Expression | null {
    const { raw } = this.#tokens[at] ?? { raw: "" };
    const [, joinedYear, joinedQuarter] = /^((?:19|20)\d\d)-?Q([1-4])$/i.exec(raw) ?? [];
    const quarter = joinedQuarter ?? /^Q([1-4])$/i.exec(raw)?.[1];
    const year = joinedYear === undefined ? this.#readYear(at + 1, 1990) : Number(joinedYear);
    if (quarter === undefined || year === null) return null;
    const end = joinedYear === undefined ? at + 2 : at + 1;
    return createFixed(end, "nothing", createQuarterSpan(year, Number(quarter)));
  }

  /** A year or a weekday. */
  #readYearOrWeekday(at: number, language: TimeLanguage): Expression | null {
    const token = this.#tokens[at];
    if (token === undefined) return null;
    const year = this.#readYear(at, 1990);
    // "in 2000 metres" is not a year.
    if (year !== null && (year % 100 !== 0 || token.stops || at + 1 === this.#tokens.length)) {
      return createFixed(at + 1, "in", createYearSpan(year));
    }
    const weekday = language.weekdays.get(token.form);
    if (weekday === undefined) return null;
    return {
      ...{ end: at + 1, needs: "onDay", isRelative: false, isOpen: false, isName: false },
      span: (anchor) =>
        createDaySpan(
          anchor === "present" ? resolveWeekday(this.#today, weekday, 0) : getLatestWeekday(this.#today, weekday),
        ),
    };
  }

  #getNext(at: number): Token | undefined {
    return this.#tokens[at]?.stops ? undefined : this.#tokens[at + 1];
  }

  #skipOf(at: number, { of }: TimeLanguage): number {
    const token = this.#tokens[at];
    return token !== undefined && of.has(token.form) && !token.stops ? at + 1 : at;
  }

  #readYear(at: number, earliest: number): number | null {
    const { raw } = this.#tokens[at] ?? { raw: "" };
    const year = /^\d{4}$/.test(raw) ? Number(raw) : 0;
    return year >= earliest && year <= this.#today.year + 10 ? year : null;
  }

  #readMonthNumber(at: number, { months }: TimeLanguage): number | null {
    const { form } = this.#tokens[at] ?? { form: "" };
    return months.get(form) ?? shortMonths.get(form) ?? null;
  }

  #readDayNumber(at: number): number | null {
    const day = Number(monthDay.exec(this.#tokens[at]?.raw ?? "")?.[1] ?? 0);
    return day >= 1 && day <= 31 ? day : null;
  }

  /** March Madness and August Macke are names, and "march on Rome" is a verb. */
  #isMonth(at: number): boolean {
    const { raw, form, stops } = this.#tokens[at]!;
    const after = this.#tokens[at + 1];
    if (after === undefined || stops) return true;
    if (form === "march" && lower.test(raw) && marching.has(after.form)) return false;
    return !((form === "march" || nameMonths.has(form)) && capital.test(after.raw));
  }

  #followsNumberedNoun(at: number): boolean {
    const before = this.#tokens[at - 1];
    return before !== undefined && (numberedNouns.has(before.form) || /[#:№]$/u.test(before.raw) || before.stops);
  }

  /** `hier` means "here" in German and Dutch. */
  #isPlainDay({ raw, form }: Token): boolean {
    return lower.test(raw) && (form !== "hier" || this.#isFrench);
  }

  /** Capitals make a title: Last Week Tonight. */
  #isPlain(which: Token, noun: Token, { capitalNouns }: TimeLanguage): boolean {
    return (capitalNouns || lower.test(noun.raw)) && this.#isPlainWord(which);
  }

  #isPlainWord(token: Token): boolean {
    return lower.test(token.raw) || token === this.#tokens[0];
  }
}

function getStep(form: string, language: TimeLanguage): -1 | 0 | 1 | "past" | null {
  if (language.last.has(form)) return -1;
  if (language.past.has(form)) return "past";
  if (language.this.has(form)) return 0;
  return language.next.has(form) ? 1 : null;
}

function parseNumber({ raw, form }: Token, { numbers }: TimeLanguage): number | null {
  return /^[1-9]\d{0,2}$/.test(raw) ? Number(raw) : (numbers.get(form) ?? null);
}
