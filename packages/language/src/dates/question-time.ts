import { parseQuery } from "../query/query.ts";
import { selectStopWords } from "../query/stop-words.ts";
import { tokenize } from "../words/tokenize.ts";
import type { TimeMention } from "./time-expression.ts";
import { TimeReader, type Token } from "./time-reader.ts";
import { type Clock, formatSpan, type Span, type TimeRange } from "./time-span.ts";
import { connectives, nonFilterWords } from "./time-words.ts";
import { tokenizeQuestion } from "./tokenize-question.ts";

export interface QuestionTime extends TimeRange {
  /** The words of the question that express the time. */
  readonly words: string;
  /** The question without those words. */
  readonly rest: string;
}

/**
 * Finds the time range a question asks about.
 *
 * A wrong filter hides records, so anything ambiguous is not a time: a year or date without a preposition (it may be a number or
 * part of the text), a month that may be a name or a verb, a second time, a time that something is for, about or compared with,
 * and a time that is the whole question. Quoted and excluded text is never touched.
 */
export function parseQuestionTime(question: string, clock: Clock): QuestionTime | null {
  const tokens = tokenizeQuestion(question);
  const mentions = findTimes(tokens, clock);
  const time = mentions && combineTimes(mentions);
  if (time === null || (time.span.from !== null && time.span.to !== null && !isBefore(time.span))) return null;
  const [start, end] = [tokens[time.start]!.start, tokens[time.end - 1]!.end];
  const rest = removeRange(question, start, end);
  if (!isSearchable(rest, question)) return null;
  return {
    ...formatSpan(time.span, clock),
    words: question.slice(start, end),
    rest,
  };
}

/** The current time in this computer's time zone. */
export const getLocalClock = (now: number): Clock => ({
  now,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

const isBefore = ({ from, to }: Span): boolean => from!.since(to!).sign < 0;

/** All times of the question, in order; null if one of them is ambiguous. */
function findTimes(tokens: readonly Token[], clock: Clock): TimeMention[] | null {
  const reader = new TimeReader(tokens, clock);
  const found: TimeMention[] = [];
  for (let at = 0; at < tokens.length; ) {
    const mention = reader.readTime(at);
    if (mention === null) at += 1;
    else if (isAmbiguous(tokens, mention, reader)) return null;
    else {
      found.push(mention);
      at = mention.end;
    }
  }
  return found;
}

/** Accepts one time, or two that are the start and the end of a range. */
function combineTimes(mentions: readonly TimeMention[]): TimeMention | null {
  const [first, second, ...more] = mentions;
  if (first === undefined || more.length > 0) return null;
  if (second === undefined) return first;
  const halves = [first.span, second.span];
  const from = halves.find((span) => span.to === null)?.from;
  const to = halves.find((span) => span.from === null)?.to;
  if (first.end !== second.start || from == null || to == null) return null;
  return { ...first, end: second.end, span: { from, to } };
}

/** Whether the words around a time suggest that it is not a filter. */
function isAmbiguous(
  tokens: readonly Token[],
  { start, end, isBare, isRelative }: TimeMention,
  reader: TimeReader,
): boolean {
  const [before, after] = [tokens[start - 1], tokens[end]];
  if (before !== undefined && !before.stops && nonFilterWords.has(before.form)) return true;
  if (before !== undefined && isBare && !isRelative && (reader.isVague(start - 1) || isNumber(before))) return true;
  if (after === undefined) return isJoinedToTime(tokens, start, -1, reader);
  const last = tokens[end - 1]!;
  if (!last.stops && (after.form === "of" || (!isRelative && isNumber(after)))) return true;
  if (reader.isTimeWord(end) && !reader.readTime(end)) return true;
  return isJoinedToTime(tokens, start, -1, reader) || isJoinedToTime(tokens, end - 1, 1, reader);
}

/** May or June 2026, March - May 2026. */
function isJoinedToTime(tokens: readonly Token[], at: number, step: 1 | -1, reader: TimeReader): boolean {
  const joint = tokens[at + step];
  if (joint === undefined || !(connectives.has(joint.form) || /^[-–—/&+]$/u.test(joint.raw))) return false;
  return reader.isTimeWord(at + 2 * step) && (step < 0 || reader.readTime(at + step) === null);
}

const isNumber = ({ raw }: Token): boolean => /^\d+(?:st|nd|rd|th|er|\.)?$/.test(raw);

function removeRange(question: string, start: number, end: number): string {
  const before = question.slice(0, start).replace(/[\s,;:([{]+$/u, "");
  const after = question.slice(end).replace(before === "" ? /^[\s,;:.)\]}]+/u : /^[)\]}]+/u, "");
  const gap = before === "" || after === "" || /^[\s\p{P}]/u.test(after) ? "" : " ";
  return `${before}${gap}${after}`.trim();
}

/** Whether the rest still has something to search for, with the same exclusions. */
function isSearchable(rest: string, question: string): boolean {
  const { wanted, excluded } = parseQuery(rest);
  if (excluded.length !== parseQuery(question).excluded.length) return false;
  if (wanted.some(({ kind }) => kind !== "word")) return true;
  const forms = tokenize(rest).map(({ form }) => form);
  const stopWords = selectStopWords(forms, question);
  return forms.some((form) => !stopWords.has(form));
}
