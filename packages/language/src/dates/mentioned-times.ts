import type { TimeMention } from "./time-expression.ts";
import { TimeReader } from "./time-reader.ts";
import { type Clock, formatSpan, type Span, type TimeRange } from "./time-span.ts";
import { tokenizeQuestion } from "./tokenize-question.ts";

export interface MentionedTime {
  /** The words of the query that express the time. */
  readonly words: string;
  readonly range: TimeRange;
  /** The same in the years before, latest first, if the query names no year. */
  readonly earlier: readonly TimeRange[];
}

/** Further times say little about which one is meant. */
const maxTimes = 4;
const maxEarlierYears = 20;

/**
 * Finds the times that a query mentions, to prefer records of these times. Unlike a filter, a preference hides nothing, so
 * this accepts what `parseQuestionTime` rejects as ambiguous: several times, dates without a preposition, and times that
 * something is for or about.
 */
export function findMentionedTimes(query: string, clock: Clock): MentionedTime[] {
  const tokens = tokenizeQuestion(query);
  const reader = new TimeReader(tokens, clock);
  const found: MentionedTime[] = [];
  for (let at = 0; at < tokens.length && found.length < maxTimes; ) {
    const mention = chooseLonger(reader.readTime(at), reader.readDay(at));
    if (mention === null) at += 1;
    else {
      const words = query.slice(tokens[at]!.start, tokens[mention.end - 1]!.end);
      found.push({
        words,
        range: formatSpan(widenDay(mention.span), clock),
        earlier: listEarlierYears(mention).map((span) => formatSpan(span, clock)),
      });
      at = mention.end;
    }
  }
  return found;
}

const chooseLonger = (time: TimeMention | null, day: TimeMention | null): TimeMention | null =>
  time === null || (day !== null && day.end > time.end) ? day : time;

/** What happened on a day is often written about the day after, or arranged the day before. */
function widenDay(span: Span): Span {
  const { from, to } = span;
  if (from === null || to === null || !from.add({ days: 1 }).equals(to)) return span;
  return { from: from.subtract({ days: 1 }), to: to.add({ days: 1 }) };
}

function listEarlierYears({ span, inYear }: TimeMention): Span[] {
  const latest = span.from?.year;
  if (inYear === undefined || latest === undefined) return [];
  return Array.from({ length: maxEarlierYears }, (_, n) => inYear(latest - 1 - n)).flatMap((each) =>
    each === null ? [] : [widenDay(each)],
  );
}
