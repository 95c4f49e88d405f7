import type { SavedSearch } from "@pdpp/contract/searches";
import { getSavedUrl } from "../../explore/saved/saved-question.ts";
import type { Html } from "../frame.tsx";
import { rooms } from "../rooms.ts";
import { renderRecentSearches } from "./recent-searches.tsx";
import { renderName } from "./values.tsx";

/** Those beyond are found by the page that the dialog leads to. */
const maxSaved = 20;

/**
 * Opened by the script with Ctrl-K or ⌘K. It lists pages and searches; sources and agents are found by the page it leads to. Without
 * `searches`, as on pages as an agent sees the vault, it lists only pages.
 */
export const renderGoDialog = (searches: readonly SavedSearch[] | undefined): Html => (
  <dialog id="go" aria-label="Go to">
    <form action="/go">
      <input type="hidden" name="jump" value="1" />
      <input
        type="text"
        name="to"
        aria-label="Page, source, agent or search"
        placeholder="Page, source, agent or search"
        autocomplete="off"
        maxlength={200}
      />
    </form>
    {searches !== undefined && renderRecentSearches("go-group", "h2")}
    {searches !== undefined && searches.length > 0 && (
      <section class="go-group" aria-label="Saved searches">
        <h2 class="heading">Saved searches</h2>
        <ul>
          {searches.slice(0, maxSaved).map((search) => (
            <li>
              <a href={getSavedUrl(search)}>{renderName(search.name)}</a>
            </li>
          ))}
        </ul>
      </section>
    )}
    <section class="go-group" aria-label="Pages" data-pages="">
      <h2 class="heading">Pages</h2>
      <ul>
        {rooms.map(({ path, label }) => (
          <li>
            <a href={path}>{label}</a>
          </li>
        ))}
      </ul>
    </section>
    <p class="soft">
      Enter opens the source, agent or page of that name, or searches for it. <a href="/go">Show everything</a>
    </p>
  </dialog>
);
