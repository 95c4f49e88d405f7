import { maxSavedSearches, maxSearchNameChars } from "@pdpp/contract/searches";
import { type Html, renderCsrfField } from "../../frame/frame.tsx";
import { renderText } from "../../frame/render/values.tsx";
import type { SearchContext } from "../search/results-page.tsx";
import { getSearchUrl } from "../search/search-question.ts";
import { findSaved } from "./saved-question.ts";

/** Saves the search under a name, or says that it is saved. */
export function renderSaveForm({ question, viewer, impersonatedGrant }: SearchContext): Html {
  if (impersonatedGrant !== undefined) return <></>;
  const { savedSearches } = viewer;
  const saved = findSaved(savedSearches, question);
  if (saved !== undefined)
    return (
      <p class="soft save-search">
        Saved as {renderText(saved.name)} · <a href="/searches">Edit</a>
      </p>
    );
  if (savedSearches.length >= maxSavedSearches)
    return (
      <p class="soft save-search">
        You have saved {maxSavedSearches} searches, the most there can be. <a href="/searches">Edit saved searches</a>
      </p>
    );
  const name = (question.asked ?? question.q).slice(0, maxSearchNameChars).toWellFormed();
  return (
    <details class="save-search">
      <summary>Save this search</summary>
      <form class="line" method="post" action="/searches/save">
        {renderCsrfField(viewer)}
        <input type="hidden" name="search" value={new URL(getSearchUrl(question), "http://x/").search} />
        <label>
          Name
          <input type="text" name="name" value={name} required maxlength={maxSearchNameChars} dir="auto" />
        </label>
        <button>Save</button>
      </form>
    </details>
  );
}
