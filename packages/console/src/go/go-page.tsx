import { type NewestView, renderNewest } from "../explore/search/browse-page.tsx";
import { getSearchUrl } from "../explore/search/search-question.ts";
import { toAbsoluteUrl } from "../frame/addresses.ts";
import { type Html, renderPage } from "../frame/frame.tsx";
import { renderRecentSearches } from "../frame/render/recent-searches.tsx";
import { formatNumber, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import type { Destination } from "./destinations.ts";

export interface GoView {
  readonly text: string;
  readonly found: readonly Destination[];
  /** Shown before anything is typed. */
  readonly newest: NewestView | undefined;
  readonly viewer: Viewer;
}

/** Further ones are found by typing more. */
const maxPerGroup = 50;

export function renderGoPage({ text, found, newest, viewer }: GoView): Html {
  return renderPage(
    "Go to",
    <>
      <h1>Go to</h1>
      <form class="go-form" action="/go">
        <label>
          <span class="hidden">Page, source, agent or saved search</span>
          <input
            type="text"
            name="to"
            value={text}
            maxlength={200}
            placeholder="Page, source, agent or saved search"
            autofocus
          />
        </label>{" "}
        <button>Find</button>
      </form>
      {text === "" && renderRecentSearches("on-page", "h2")}
      {[...Map.groupBy(found, ({ group }) => group)].map(([group, all]) => (
        <>
          <h2>{group}</h2>
          <ul class="rows go-list">
            {all.slice(0, maxPerGroup).map(({ label, href }) => (
              <li>
                <a href={href}>{renderText(label)}</a>
              </li>
            ))}
          </ul>
          {all.length > maxPerGroup && <p class="soft">and {formatNumber(all.length - maxPerGroup)} more</p>}
        </>
      ))}
      {newest !== undefined && renderNewest(newest)}
      {text !== "" && (
        <p>
          {found.length === 0 && "Nothing has that name. "}
          <a href={toAbsoluteUrl(getSearchUrl({ q: text }))}>Search everything for {renderText(text)}</a>
        </p>
      )}
    </>,
    { owner: { room: "/explore", viewer } },
  );
}
