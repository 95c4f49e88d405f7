import { getStreamUrl } from "../../frame/addresses.ts";
import { type Html, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import { formatNumber, renderText } from "../../frame/render/values.tsx";
import { buildSearchPageOptions, type SearchContext } from "./results-page.tsx";

export interface BrowseView extends SearchContext {
  readonly counts: ReadonlyMap<string, number>;
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
        browse a source.
      </p>
      {names.sources.length === 0 ? (
        <p>
          No data yet. <a href="/import">Import data</a>
        </p>
      ) : (
        <ul class="rows">
          {names.sources.map(({ id, label, streams }) => (
            <li>
              {renderLetterMark(label)}
              <div class="about">
                <h2>{renderText(label)}</h2>
                <p>
                  {streams.flatMap(({ name, label: kind }, i) => {
                    const count = counts.get(`${id}/${name}`);
                    return count === undefined ? (
                      []
                    ) : (
                      <>
                        {i !== 0 && " · "}
                        <a href={getStreamUrl(id, name)}>{renderText(kind)}</a>{" "}
                        <span class="soft">{formatNumber(count)}</span>
                      </>
                    );
                  })}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>,
    buildSearchPageOptions(view),
  );
}
