import type { Input } from "@pdpp/contract/operations";
import { getLocalClock, parseQuestionTime } from "@pdpp/language/dates/question-time";
import type { Context } from "hono";
import { addressWith } from "../frame/addresses.ts";
import { nameIn, textIn } from "./request.ts";

/** A search as its address says it. */
export interface Question {
  readonly q: string;
  readonly source: string | undefined;
  readonly stream: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** The question as it was typed, where its time was taken out of it. */
  readonly asked: string | undefined;
  /** A time in the question is words like others. */
  readonly time: "words" | undefined;
}

export const questionIn = (c: Context): Question => ({
  q: textIn(c, "q") ?? "",
  source: nameIn(c, "source") || undefined,
  stream: nameIn(c, "stream") || undefined,
  since: textIn(c, "since"),
  until: textIn(c, "until"),
  asked: textIn(c, "asked"),
  time: textIn(c, "time") === "words" ? "words" : undefined,
});

export const exploreAddress = (question: Partial<Question>, cursor?: string): string =>
  addressWith("explore", { ...question, cursor });

/** The same question at another time: what was understood before is no longer what is shown. */
export const atAnotherTime = (question: Question, since: string | undefined, until: string | undefined): string =>
  exploreAddress({ ...question, since, until, asked: undefined, time: undefined });

/** The question for all its words, whatever time they say. */
export const asWords = ({ q, asked, source, stream }: Question): string =>
  exploreAddress({ q: asked ?? q, source, stream, time: "words" });

/** What the question means when its words say a time, as an address that says so; a time that was given stands. */
export function understood(question: Question, now: number): string | undefined {
  const { q, since, until, asked, time } = question;
  if (since !== undefined || until !== undefined || asked !== undefined || time !== undefined) return undefined;
  const said = parseQuestionTime(q, getLocalClock(now));
  if (said === null) return undefined;
  return exploreAddress({ ...question, q: said.rest, since: said.since, until: said.until, asked: q });
}

export const searchInput = ({ source, stream, since, until }: Question): Omit<Input<"search">, "q"> => ({
  ...(source === undefined ? {} : { connection_id: source }),
  ...(stream === undefined ? {} : { streams: [stream] }),
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
});
