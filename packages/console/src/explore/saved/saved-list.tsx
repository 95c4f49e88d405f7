import type { Html } from "../../frame/frame.tsx";
import { renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { getSavedUrl } from "./saved-question.ts";

const maxListed = 20;

/** The saved searches on Explore. */
export function renderSavedList({ savedSearches }: Viewer): Html {
  const { length } = savedSearches;
  if (length === 0) return <></>;
  return (
    <section aria-labelledby="saved-searches">
      <h2 id="saved-searches">Saved searches</h2>
      <nav class="chips" aria-label="Saved searches">
        {savedSearches.slice(0, maxListed).map((search) => (
          <a href={getSavedUrl(search)}>{renderText(search.name)}</a>
        ))}
      </nav>
      <p class="soft">
        <a href="/searches">{length > maxListed ? `All ${length} saved searches` : "Edit saved searches"}</a>
      </p>
    </section>
  );
}
