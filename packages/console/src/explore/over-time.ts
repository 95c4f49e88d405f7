import type { HitSpread } from "@pdpp/contract/wire";
import { html } from "hono/html";
import type { Html } from "../frame/frame.ts";
import { grouped } from "../frame/value-view.ts";
import { linkedBars } from "./linked-bars.ts";
import { dayAfter, periodLabel, periodsBetween } from "./periods.ts";
import { atAnotherTime, type Question } from "./question.ts";

/** When the hits are from: a bar for each year, month or day, and a press on one narrows the search to it. */

const mostBars = 60;

export function overTime(question: Question, spread: HitSpread, total: number): Html {
  const { times, granularity, counted, without_time: without } = spread;
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return html``;
  // One bar says nothing, unless somebody has just come to it.
  if (times.length === 1 && question.since === undefined && question.until === undefined) return html``;
  const isWhole = counted >= total;
  const counts = new Map(times.map(({ since, count }) => [since, count]));
  const all = periodsBetween(granularity, first.since, last.since, mostBars);
  const shown = all.map(({ since, until }) => {
    const count = counts.get(since) ?? 0;
    return {
      label: periodLabel(granularity, since),
      count: isWhole ? count : Math.round((count * total) / counted),
      href: isOne(question, since, until) ? undefined : atAnotherTime(question, since, until),
    };
  });
  const begin = all[0]?.since ?? first.since;
  const before =
    spread.earlier_count + times.filter(({ since }) => since < begin).reduce((sum, { count }) => sum + count, 0);
  const notes = [
    isWhole ? "" : `estimated from ${grouped(counted)} of ${grouped(total)}`,
    without === 0 ? "" : `${grouped(without)} without a date`,
  ].filter((note) => note !== "");
  return html`<section class="over-time" aria-label="Results over time">
${linkedBars(`Results ${nouns[granularity]}`, shown, isWhole ? "" : "about ")}
${before === 0 ? "" : html`<p class="soft"><a href="${atAnotherTime(question, undefined, begin)}">${grouped(before)} before ${periodLabel(granularity, begin)}</a></p>`}
${notes.length === 0 ? "" : html`<p class="soft">${notes.join(" · ")}</p>`}
${question.since === undefined && question.until === undefined ? "" : wider(question)}</section>`;
}

const nouns = { year: "by year", month: "by month", day: "by day" } as const;

const isOne = ({ since, until }: Question, from: string, to: string): boolean => since === from && until === to;

/** From a day to its month, from a month to its year, and from there to any time. */
function wider(question: Question): Html {
  const { since = "", until = "" } = question;
  const any = html`<a href="${atAnotherTime(question, undefined, undefined)}">Clear dates</a>`;
  const year = since.slice(0, 4);
  const month = since.slice(0, 7);
  const isDay = since.length === 10 && dayAfter(since, "day") === until;
  const isMonth = since.length === 10 && since.endsWith("-01") && dayAfter(since, "month") === until;
  const links = [
    isDay
      ? html`<a href="${atAnotherTime(question, `${month}-01`, dayAfter(`${month}-01`, "month"))}">${periodLabel("month", since)}</a> · `
      : html``,
    isDay || isMonth
      ? html`<a href="${atAnotherTime(question, `${year}-01-01`, dayAfter(`${year}-01-01`, "year"))}">${year}</a> · `
      : html``,
  ];
  return html`<p class="soft">${links}${any}</p>`;
}
