import { readText } from "../explore/request.ts";
import { loadNewest } from "../explore/search/search.ts";
import { getSearchUrl } from "../explore/search/search-question.ts";
import { createOwnerViewpoint } from "../explore/viewpoint.tsx";
import { toAbsoluteUrl } from "../frame/addresses.ts";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { findDestinations, listDestinations } from "./destinations.ts";
import { renderGoPage } from "./go-page.tsx";

/** Finds a page, saved search, source or agent by name; the dialog of every page leads here. */
export function addGoRoutes({ page }: Guard, parts: ConsoleParts): void {
  page("/go", async (c, session, viewer) => {
    const owner = parts.getOwner(session);
    const viewpoint = await createOwnerViewpoint(parts, session);
    const text = readText(c, "to") ?? "";
    const found = findDestinations(
      listDestinations(viewpoint.names, await owner.grants.list(), viewer.savedSearches),
      text,
    );
    if (c.req.query("jump") === "1" && text !== "") {
      const [only] = found;
      if (only === undefined) return c.redirect(toAbsoluteUrl(getSearchUrl({ q: text })), 303);
      if (found.length === 1) return c.redirect(only.href, 303);
    }
    const newest = text === "" ? { ...(await loadNewest(viewpoint, parts.now())), names: viewpoint.names } : undefined;
    return c.html(renderGoPage({ text, found, newest, viewer }), 200, buildPageHeaders());
  });
}
