import type { HitSpread } from "@pdpp/contract/wire";
import type { Html } from "../../frame/frame.tsx";
import { formatNumber, renderText } from "../../frame/render/values.tsx";
import type { SearchContext } from "./results-page.tsx";
import { getSearchUrl, getSearchUrlWithDates } from "./search-question.ts";

/** Filters next to the hits: sources, streams and times, with counts. */

const maxListed = 60;
const yearsListed = 6;
const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

interface FilterChoice {
  readonly label: string;
  readonly href: string;
  readonly isHere: boolean;
  readonly count?: number | undefined;
}

const renderChoices = (all: readonly FilterChoice[]): Html => (
  <ul>
    {all.map(({ label, href, isHere, count }) => (
      <li>
        <a href={href} aria-current={isHere ? "true" : undefined}>
          {renderText(label)} {count !== undefined && <span class="count">{formatNumber(count)}</span>}
        </a>
      </li>
    ))}
  </ul>
);

export function renderFilters(view: SearchContext, spread: HitSpread | undefined): Html {
  const { question } = view;
  const { source, stream } = question;
  const streams = listStreamChoices(view, spread);
  return (
    <aside aria-label="Filters">
      <div>
        <h2>Source</h2>
        {renderChoices(listSourceChoices(view, spread))}
      </div>
      {streams.length >= 2 && (
        <div>
          <h2>Type</h2>
          {renderChoices(streams)}
        </div>
      )}
      <div>
        <h2>Date</h2>
        {renderChoices(listTimeChoices(view, spread))}
        <form class="dates" action="explore">
          <input type="hidden" name="q" value={question.q} />
          {source !== undefined && <input type="hidden" name="source" value={source} />}
          {stream !== undefined && <input type="hidden" name="stream" value={stream} />}
          {question.order !== undefined && <input type="hidden" name="order" value={question.order} />}{" "}
          <label>
            From <input type="date" name="since" value={question.since?.slice(0, 10) ?? ""} />
          </label>
          <label>
            Before <input type="date" name="until" value={question.until?.slice(0, 10) ?? ""} />
          </label>
          <button>Apply</button>
        </form>
      </div>
    </aside>
  );
}

/** All sources if results weren't counted; otherwise those with results. */
function listSourceChoices({ question, names }: SearchContext, spread: HitSpread | undefined): FilterChoice[] {
  const { source, stream } = question;
  const counts = countBy(spread, ({ connection_id }) => connection_id);
  const isCounted = spread !== undefined && source === undefined;
  const listed = isCounted
    ? names.sources
        .filter(({ id }) => counts.has(id))
        .toSorted((a, b) => (counts.get(b.id) ?? 0) - (counts.get(a.id) ?? 0))
    : names.sources;
  return [
    {
      label: "All sources",
      href: getSearchUrl({ ...question, source: undefined, stream: undefined }),
      isHere: source === undefined,
    },
    ...listed.slice(0, maxListed).map(({ id, label }) => ({
      label,
      href: getSearchUrl({ ...question, source: id, stream: undefined }),
      isHere: source === id && stream === undefined,
      count: isCounted || source === id ? counts.get(id) : undefined,
    })),
  ];
}

function listStreamChoices({ question, names }: SearchContext, spread: HitSpread | undefined): FilterChoice[] {
  const { source, stream } = question;
  const counts = countBy(spread, (each) => each.stream);
  const streams = names.sources.find(({ id }) => id === source)?.streams ?? [];
  return streams.slice(0, maxListed).map(({ name, label }) => ({
    label,
    href: getSearchUrl({ ...question, stream: name }),
    isHere: stream === name,
    count: spread === undefined || (stream !== undefined && stream !== name) ? undefined : (counts.get(name) ?? 0),
  }));
}

function listTimeChoices({ question, now }: SearchContext, spread: HitSpread | undefined): FilterChoice[] {
  const createChoice = (label: string, since?: string, until?: string, count?: number): FilterChoice => ({
    label,
    href: getSearchUrlWithDates(question, since, until),
    isHere: question.since === since && question.until === until,
    count,
  });
  const thisYear = new Date(now).getUTCFullYear();
  const years = new Map<string, number>();
  for (const { since, count } of spread?.times ?? [])
    years.set(since.slice(0, 4), (years.get(since.slice(0, 4)) ?? 0) + count);
  const isWhole = question.since === undefined && question.until === undefined && isAll(spread);
  const listed = isWhole
    ? [...years.keys()].slice(-yearsListed).reverse()
    : [0, 1, 2].map((back) => String(thisYear - back));
  return [
    createChoice("Any time"),
    createChoice("Last 30 days", formatDay(now - 30 * 86_400_000)),
    ...listed.map((year) =>
      createChoice(
        year,
        `${year}-01-01`,
        `${String(Number(year) + 1).padStart(4, "0")}-01-01`,
        isWhole ? years.get(year) : undefined,
      ),
    ),
  ];
}

const isAll = (spread: HitSpread | undefined): boolean =>
  spread !== undefined && spread.counted === spread.sources.reduce((sum, { count }) => sum + count, 0);

function countBy(
  spread: HitSpread | undefined,
  of: (each: HitSpread["sources"][number]) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const each of spread?.sources ?? []) counts.set(of(each), (counts.get(of(each)) ?? 0) + each.count);
  return counts;
}
