import {
  buildGrantRequest,
  chooseRequested,
  maxNameChars,
  maxPurposeChars,
  parseChoice,
  readText,
} from "@pdpp/consent/choice";
import { buildOffer } from "@pdpp/consent/offer";
import { buildPreview, emptyPreview } from "@pdpp/consent/preview";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { type NewTokenView, renderNewTokenPage, renderTokenPage, renderTokenShownPage } from "./new-token-page.tsx";
import { createOneTimeResults } from "./one-time-results.ts";
import { listTokenSetupGuides } from "./setup-guides.tsx";

interface CreatedToken {
  readonly name: string;
  readonly id: string;
  readonly token: string;
}

export function addNewTokenRoutes({ page, wizard }: Guard, { now, getOrigin, getOwner, runTool }: ConsoleParts): void {
  const path = "/agents/new";
  const results = createOneTimeResults<CreatedToken>(now);
  const respond = (view: Omit<NewTokenView, "formId" | "now">, status = 200): Response =>
    new Response(String(renderNewTokenPage({ ...view, formId: results.newForm(), now: now() })), {
      status,
      headers: buildPageHeaders(),
    });

  page(path, async (_c, session, viewer) => {
    const owner = getOwner(session);
    const offer = await buildOffer(await owner.reader(), await owner.catalog(), []);
    const choice = chooseRequested(offer, false);
    const { time_zone: timeZone } = await owner.self();
    return respond({ name: "", purpose: "", offer, choice, viewer, timeZone, notice: undefined, preview: undefined });
  });

  wizard(path, async (c, session, viewer, form) => {
    const owner = getOwner(session);
    const offer = await buildOffer(await owner.reader(), await owner.catalog(), []);
    const choice = parseChoice(form, offer);
    const name = readText(form, "name").trim().slice(0, maxNameChars).toWellFormed();
    const purpose = readText(form, "purpose").trim().slice(0, maxPurposeChars).toWellFormed();
    const act = readText(form, "act");
    const { time_zone: timeZone } = await owner.self();
    const filled = { name, purpose, offer, choice, viewer, timeZone, notice: undefined, preview: undefined };
    if (act === "by-field" || act === "by-part")
      return respond({ ...filled, choice: { ...choice, byField: act === "by-field" } });
    if (act === "clear") return respond({ ...filled, choice: chooseRequested(offer, choice.byField) });
    const wanted = buildGrantRequest(offer, choice, { name }, purpose === "" ? undefined : purpose, now());
    if (act !== "allow") {
      const preview = wanted === undefined ? emptyPreview : await buildPreview(owner, wanted, runTool);
      return respond({ ...filled, preview });
    }
    if (name === "") return respond({ ...filled, notice: "Enter a name." }, 422);
    if (wanted === undefined)
      return respond({ ...filled, notice: "Choose at least one source and what can be read from it." }, 422);
    if (choice.isInferred)
      return respond({ ...filled, notice: "Check what the token will be able to read, then create it." });
    const pageId = await results.make(session, readText(form, "form"), async () => {
      const { token, package_id, grants } = await owner.grants.issue(wanted);
      return { name, token, id: package_id ?? grants[0]?.grant_id ?? "" };
    });
    return c.redirect(`/agents/made/${pageId}`, 303);
  });

  page("/agents/made/:page", async (c, session, viewer) => {
    const made = results.take(session, c.req.param("page") ?? "");
    if (made === undefined) return c.html(renderTokenShownPage({ viewer, now: now() }), 410, buildPageHeaders());
    const origin = getOrigin(c.req.raw);
    const view = { ...made, mcpUrl: `${origin}/mcp`, ways: listTokenSetupGuides(origin, made.token) };
    return c.html(renderTokenPage({ ...view, viewer, now: now() }), 200, buildPageHeaders());
  });
}
