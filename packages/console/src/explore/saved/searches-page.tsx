import type { AccessDocument } from "@pdpp/contract/owner";
import { maxSearchNameChars, type SavedQuestion, type SavedSearch } from "@pdpp/contract/searches";
import { type Html, renderCsrfField, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { joinHtml, renderBackLink, renderDone } from "../../frame/render/parts.tsx";
import { renderText, renderWhen } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { describeAction } from "../../settings/confirmations.ts";
import { getSavedUrl } from "./saved-question.ts";

export interface SavedSearchesView {
  readonly viewer: Viewer;
  readonly names: Names;
  /** The last action, from the log. */
  readonly lastAction: AccessDocument | undefined;
}

export function renderSavedPage(view: SavedSearchesView): Html {
  const { viewer, lastAction } = view;
  return renderPage(
    "Saved searches",
    <>
      {renderBackLink("/explore", "Explore")}
      <h1>Saved searches</h1>
      {lastAction !== undefined && renderDone(describeAction(lastAction))}
      {viewer.savedSearches.length === 0 ? (
        <p>
          No saved searches yet. <a href="/explore">Search for something</a>, then choose “Save this search”.
        </p>
      ) : (
        <ul class="rows saved-searches">{viewer.savedSearches.map((search) => renderRow(search, view))}</ul>
      )}
    </>,
    { owner: { room: "/explore", viewer } },
  );
}

const renderRow = (search: SavedSearch, { viewer, names }: SavedSearchesView): Html => (
  <li>
    <div class="about">
      <h2>
        <a href={getSavedUrl(search)}>{renderText(search.name)}</a>
      </h2>
      <p class="soft">{joinHtml(describeQuestion(search.question, names), " · ", (part) => part)}</p>
      <details>
        <summary>
          Rename<span class="hidden"> {renderText(search.name)}</span>
        </summary>
        <form class="line" method="post" action={`/searches/${search.id}/rename`}>
          {renderCsrfField(viewer)}
          <label>
            Name
            <input type="text" name="name" value={search.name} required maxlength={maxSearchNameChars} dir="auto" />
          </label>
          <button>Save</button>
        </form>
      </details>
    </div>
    <form method="post" action={`/searches/${search.id}/remove`}>
      {renderCsrfField(viewer)}
      <button class="plain">
        Remove<span class="hidden"> {renderText(search.name)}</span>
      </button>
    </form>
  </li>
);

function describeQuestion({ q, source, stream, since, until, order }: SavedQuestion, names: Names): Html[] {
  const [from, to] = [renderWhen(since?.slice(0, 10)), renderWhen(until?.slice(0, 10))];
  return [
    <>“{renderText(q)}”</>,
    ...(source === undefined ? [] : [renderText(names.source(source))]),
    ...(source === undefined || stream === undefined ? [] : [renderText(names.stream(source, stream))]),
    ...(from === undefined ? [] : [<>from {from}</>]),
    ...(to === undefined ? [] : [<>before {to}</>]),
    ...(order === undefined ? [] : [<>newest first</>]),
  ];
}
