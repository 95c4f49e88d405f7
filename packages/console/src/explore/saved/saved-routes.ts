import type { Context } from "hono";
import { toAbsoluteUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Guard } from "../../frame/guard.ts";
import { loadNames } from "../../frame/names.ts";
import type { ConsoleParts } from "../../frame/session.ts";
import { findAction, getConfirmationUrl } from "../../settings/confirmations.ts";
import { readFormField } from "../../settings/settings.ts";
import { getSearchUrl, parseSearchQuestion } from "../search/search-question.ts";
import { toSavedQuestion } from "./saved-question.ts";
import { renderSavedPage } from "./searches-page.tsx";

/** Searches that the owner saved: listed, renamed and removed. */
export function addSavedSearchRoutes({ page, action }: Guard, { getOwner }: ConsoleParts): void {
  page("/searches", async (c, session, viewer) => {
    const owner = getOwner(session);
    const lastAction = await findAction(owner, c.req.query("did"), "search.");
    return c.html(renderSavedPage({ viewer, lastAction, names: await loadNames(owner) }), 200, buildPageHeaders());
  });
  action("/searches/save", async (c, session) => {
    const owner = getOwner(session);
    const params = new URLSearchParams(await readFormField(c, "search"));
    const question = parseSearchQuestion((name) => params.get(name) ?? undefined);
    await owner.searches.save(await readFormField(c, "name"), toSavedQuestion(question));
    return getConfirmationUrl(owner, "search.save", toAbsoluteUrl(getSearchUrl(question)));
  });
  const getId = (c: Context): string => c.req.param("id") ?? "";
  action("/searches/:id/rename", async (c, session) => {
    const owner = getOwner(session);
    await owner.searches.rename(getId(c), await readFormField(c, "name"));
    return getConfirmationUrl(owner, "search.rename", "/searches");
  });
  action("/searches/:id/remove", async (c, session) => {
    const owner = getOwner(session);
    await owner.searches.remove(getId(c));
    return getConfirmationUrl(owner, "search.remove", "/searches");
  });
}
