import { formatShortDate, toDay } from "../../days/calendar.ts";
import type { DayItem } from "../../days/day-records.ts";
import { getActors } from "../../days/describe-entry.ts";
import type { Entry } from "../../days/entries.ts";
import { type EntryContext, renderEntryMark, renderEntryText } from "../../days/entry.tsx";
import { getStreamUrl } from "../../frame/addresses.ts";
import { type Html, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { joinHtml } from "../../frame/render/parts.tsx";
import { renderRecentSearches } from "../../frame/render/recent-searches.tsx";
import { formatNumber, renderText } from "../../frame/render/values.tsx";
import { getSourceUrl } from "../../views/kind-views.ts";
import { renderSavedList } from "../saved/saved-list.tsx";
import { buildSearchPageOptions, type SearchContext } from "./results-page.tsx";
import { getSearchUrl } from "./search-question.ts";

export interface BrowseView extends SearchContext {
  readonly counts: ReadonlyMap<string, number>;
  readonly recent: readonly Entry<DayItem>[];
  readonly threadTitles: EntryContext["threadTitles"];
  readonly zone: string;
}

/** The start of Explore: all sources and their streams. */
export function renderBrowsePage(view: BrowseView): Html {
  const { names, counts } = view;
  return renderPage(
    "Explore",
    <>
      <h1>{view.impersonatedGrant === undefined ? "Explore" : "What it can read"}</h1>
      <p class="soft">
        Search words or ask a question. Use <code>"exact phrase"</code>, <code>boil*</code> or <code>-exclude</code>. Or
        browse a source
        {view.impersonatedGrant === undefined && (
          <>
            , or <a href="/go">go to a page or agent</a> by name
          </>
        )}
        .
      </p>
      {view.impersonatedGrant === undefined && (
        <>
          {renderSavedList(view.viewer)}
          {renderRecentSearches("on-page", "h2")}
        </>
      )}
      {names.sources.length === 0 ? (
        <p>
          No data yet. <a href="/import">Import data</a>
        </p>
      ) : (
        <ul class="rows">{names.sources.map((source) => renderSource(source, names, counts))}</ul>
      )}
      {renderNewest(view)}
    </>,
    buildSearchPageOptions(view),
  );
}

/** The name leads to the view of what the source has, the kinds of records lead to their tables. */
function renderSource(
  { id, label, streams }: Names["sources"][number],
  names: Names,
  counts: BrowseView["counts"],
): Html {
  const counted = listCounted(id, streams, counts);
  const href = getSourceUrl(
    names,
    id,
    counted.map(({ name }) => name),
  );
  return (
    <li>
      {renderLetterMark(names.mark(id))}
      <div class="about">
        <h2>{href === undefined ? renderText(label) : <a href={href}>{renderText(label)}</a>}</h2>
        <p>
          {joinHtml(counted, " · ", ({ name, label: kind, count }) => (
            <>
              <a href={getStreamUrl(id, name)}>{renderText(kind)}</a> <span class="soft">{formatNumber(count)}</span>
            </>
          ))}
        </p>
      </div>
    </li>
  );
}

export type NewestView = Pick<BrowseView, "recent" | "names" | "threadTitles" | "zone">;

/** The newest records, and searches they suggest. */
export const renderNewest = (view: NewestView): Html => (
  <>
    {renderSuggestions(view)}
    {renderRecent(view)}
  </>
);

const maxSuggestions = 5;

/** People of the newest records. */
function renderSuggestions({ recent }: NewestView): Html {
  const people = new Set(
    recent.flatMap(({ items }) => items.flatMap(({ card, isOwn }) => (isOwn ? [] : getActors(card)))),
  );
  if (people.size === 0) return <></>;
  return (
    <>
      <h2>Suggested searches</h2>
      <nav class="chips" aria-label="Suggested searches">
        {[...people].slice(0, maxSuggestions).map((name) => (
          <a href={getSearchUrl({ q: name, time: "words" })}>{renderText(name)}</a>
        ))}
      </nav>
    </>
  );
}

function renderRecent({ recent, names, threadTitles, zone }: NewestView): Html {
  if (recent.length === 0) return <></>;
  const context = { names, up: "", threadTitles } as const;
  return (
    <>
      <h2>Recent</h2>
      <ol class="recent">
        {recent.map((entry) => {
          const day = toDay(entry.first.at, zone);
          return (
            <li>
              {renderEntryMark(entry, names)}
              {renderEntryText(entry, context, "h3")}
              <a class="when" href={`day/${day}`}>
                {formatShortDate(day)}
              </a>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Empty streams are left out, unless all of them are. */
function listCounted(id: string, streams: Names["sources"][number]["streams"], counts: BrowseView["counts"]) {
  const counted = streams.flatMap(({ name, label }) => {
    const count = counts.get(`${id}/${name}`);
    return count === undefined ? [] : [{ name, label, count }];
  });
  const filled = counted.filter(({ count }) => count > 0);
  return filled.length === 0 ? counted : filled;
}
