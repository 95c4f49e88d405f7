import type { Html } from "../frame.tsx";

/** Filled by the script from this browser's storage, and hidden without it. */
export const renderRecentSearches = (place: "under-search" | "go-group" | "on-page", Heading: "h2" | "p"): Html => (
  <section class={`recent-searches ${place}`} data-recent-searches="" aria-label="Recent searches" hidden>
    <Heading class="heading">Recent searches</Heading>
    <ul class={place === "on-page" ? "chips" : undefined}></ul>
    {place !== "go-group" && (
      <p>
        <button type="button" class="plain" data-clear-searches="">
          Clear recent searches
        </button>{" "}
        <span class="soft">Kept in this browser only</span>
      </p>
    )}
  </section>
);
