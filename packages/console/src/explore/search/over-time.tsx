import type { HitSpread } from "@pdpp/contract/wire";
import type { Html } from "../../frame/frame.tsx";
import { formatNumber } from "../../frame/render/values.tsx";
import { renderLinkedBars } from "../linked-bars.tsx";
import { formatPeriod, getPeriodEnd, listPeriods } from "../periods.ts";
import { getSearchUrlWithDates, type SearchQuestion } from "./search-question.ts";

/** Results by year, month or day; clicking a bar filters by it. */

const maxBars = 60;

export function renderOverTime(question: SearchQuestion, spread: HitSpread, total: number): Html {
  const { times, granularity, counted, without_time: without } = spread;
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return <></>;
  // A single bar is only useful after zooming in.
  if (times.length === 1 && question.since === undefined && question.until === undefined) return <></>;
  const isWhole = counted >= total;
  const counts = new Map(times.map(({ since, count }) => [since, count]));
  const all = listPeriods(granularity, first.since, last.since, maxBars);
  const shown = all.map(({ since, until }) => {
    const count = counts.get(since) ?? 0;
    return {
      label: formatPeriod(granularity, since),
      count: isWhole ? count : Math.round((count * total) / counted),
      href: isOne(question, since, until) ? undefined : getSearchUrlWithDates(question, since, until),
    };
  });
  const begin = all[0]?.since ?? first.since;
  const before =
    spread.earlier_count + times.filter(({ since }) => since < begin).reduce((sum, { count }) => sum + count, 0);
  const notes = [
    isWhole ? "" : `estimated from ${formatNumber(counted)} of ${formatNumber(total)}`,
    without === 0 ? "" : `${formatNumber(without)} without a date`,
  ].filter((note) => note !== "");
  return (
    <section class="over-time" aria-label="Results over time">
      {renderLinkedBars(`Results ${nouns[granularity]}`, shown, isWhole ? "" : "about ")}
      {before !== 0 && (
        <p class="soft">
          <a href={getSearchUrlWithDates(question, undefined, begin)}>
            {formatNumber(before)} before {formatPeriod(granularity, begin)}
          </a>
        </p>
      )}
      {notes.length > 0 && <p class="soft">{notes.join(" · ")}</p>}
      {!(question.since === undefined && question.until === undefined) && renderWiderLinks(question)}
    </section>
  );
}

const nouns = { year: "by year", month: "by month", day: "by day" } as const;

const isOne = ({ since, until }: SearchQuestion, from: string, to: string): boolean => since === from && until === to;

/** Links that zoom out: from a day to its month, from a month to its year. */
function renderWiderLinks(question: SearchQuestion): Html {
  const { since = "", until = "" } = question;
  const any = <a href={getSearchUrlWithDates(question, undefined, undefined)}>Clear dates</a>;
  const year = since.slice(0, 4);
  const month = since.slice(0, 7);
  const isDay = since.length === 10 && getPeriodEnd(since, "day") === until;
  const isMonth = since.length === 10 && since.endsWith("-01") && getPeriodEnd(since, "month") === until;
  const links = [
    isDay ? (
      <>
        <a href={getSearchUrlWithDates(question, `${month}-01`, getPeriodEnd(`${month}-01`, "month"))}>
          {formatPeriod("month", since)}
        </a>{" "}
        ·{" "}
      </>
    ) : (
      <></>
    ),
    isDay || isMonth ? (
      <>
        <a href={getSearchUrlWithDates(question, `${year}-01-01`, getPeriodEnd(`${year}-01-01`, "year"))}>{year}</a> ·{" "}
      </>
    ) : (
      <></>
    ),
  ];
  return (
    <p class="soft">
      {links}
      {any}
    </p>
  );
}
