import type { Input } from "@pdpp/contract/operations";
import { getLocalClock, parseQuestionTime } from "@pdpp/language/dates/question-time";
import { buildUrl } from "../../frame/addresses.ts";

/** A search's state, as it is in the URL. */
export interface SearchQuestion {
  readonly q: string;
  readonly source: string | undefined;
  readonly stream: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** The query as typed, if a date was extracted from it. */
  readonly asked: string | undefined;
  /** Treat dates in the query as ordinary words. */
  readonly time: "words" | undefined;
  /** The best matches by date instead of by relevance. */
  readonly order: "date" | undefined;
}

/** `get` reads a parameter of the URL. */
export function parseSearchQuestion(get: (name: string) => string | undefined): SearchQuestion {
  const readText = (name: string): string | undefined => get(name)?.trim() || undefined;
  return {
    q: readText("q") ?? "",
    // Not trimmed: names may start or end with spaces.
    source: get("source") || undefined,
    stream: get("stream") || undefined,
    since: readText("since"),
    until: readText("until"),
    asked: readText("asked"),
    time: readText("time") === "words" ? "words" : undefined,
    order: readText("order") === "date" ? "date" : undefined,
  };
}

export const getSearchUrl = (question: Partial<SearchQuestion>, cursor?: string): string =>
  buildUrl("explore", { ...question, cursor });

export const getSearchUrlWithDates = (
  question: SearchQuestion,
  since: string | undefined,
  until: string | undefined,
): string => getSearchUrl({ ...question, since, until, asked: undefined, time: undefined });

/** The same question with dates treated as words. */
export const getExactWordsUrl = ({ q, asked, source, stream }: SearchQuestion): string =>
  getSearchUrl({ q: asked ?? q, source, stream, time: "words" });

/** Redirects a question that contains a date to a URL with that date as a filter, unless a date is given. */
export function findDateRedirect(question: SearchQuestion, now: number): string | undefined {
  const { q, since, until, asked, time } = question;
  if (since !== undefined || until !== undefined || asked !== undefined || time !== undefined) return undefined;
  const said = parseQuestionTime(q, getLocalClock(now));
  if (said === null) return undefined;
  return getSearchUrl({ ...question, q: said.rest, since: said.since, until: said.until, asked: q });
}

export const buildSearchInput = ({
  source,
  stream,
  since,
  until,
  time,
}: SearchQuestion): Omit<Input<"search">, "q"> => ({
  ...(source === undefined ? {} : { connection_id: source }),
  ...(stream === undefined ? {} : { streams: [stream] }),
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
  ...(time === undefined ? {} : { time }),
});
