import {
  buildGrantRequest,
  choosePreset,
  chooseRequested,
  maxNameChars,
  maxPurposeChars,
  parseChoice,
  readText,
} from "@pdpp/server/consent/choice";
import { buildOffer } from "@pdpp/server/consent/offer";
import { buildPreview, emptyPreview } from "@pdpp/server/consent/preview";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { keptOnce } from "./kept-once.ts";
import { waysWithToken } from "./let-in.ts";
import { madePage, type NewAgentView, newAgentPage, shownPage } from "./new-agent-page.ts";

interface Made {
  readonly name: string;
  readonly id: string;
  readonly token: string;
}

export function newAgentRoutes({ owned, filling }: Guard, { now, originOf, ownerOf, toolText }: ConsoleParts): void {
  const path = "/agents/new";
  const kept = keptOnce<Made>(now);
  const answer = (view: Omit<NewAgentView, "formId" | "now">, status = 200): Response =>
    new Response(String(newAgentPage({ ...view, formId: kept.newForm(), now: now() })), {
      status,
      headers: pageHeaders(),
    });

  owned(path, async (_c, session, proof) => {
    const owner = ownerOf(session);
    const offer = await buildOffer(await owner.reader(), await owner.catalog(), []);
    const choice = chooseRequested(offer, false);
    return answer({ name: "", purpose: "", offer, choice, proof, notice: undefined, preview: undefined });
  });

  filling(path, async (c, session, proof, form) => {
    const owner = ownerOf(session);
    const offer = await buildOffer(await owner.reader(), await owner.catalog(), []);
    const choice = parseChoice(form, offer);
    const name = readText(form, "name").trim().slice(0, maxNameChars).toWellFormed();
    const purpose = readText(form, "purpose").trim().slice(0, maxPurposeChars).toWellFormed();
    const act = readText(form, "act");
    const filled = { name, purpose, offer, choice, proof, notice: undefined, preview: undefined };
    if (act === "by-field" || act === "by-part")
      return answer({ ...filled, choice: { ...choice, byField: act === "by-field" } });
    if (act.startsWith("preset-"))
      return answer({ ...filled, choice: choosePreset(offer, act.slice(7), choice.byField) ?? choice });
    const wanted = buildGrantRequest(offer, choice, { name }, purpose === "" ? undefined : purpose, now());
    if (act !== "allow") {
      const preview = wanted === undefined ? emptyPreview : await buildPreview(owner, wanted, toolText);
      return answer({ ...filled, preview });
    }
    if (name === "") return answer({ ...filled, notice: "Enter a name." }, 422);
    if (wanted === undefined)
      return answer({ ...filled, notice: "Choose at least one source and what can be read from it." }, 422);
    const pageId = await kept.make(session, readText(form, "form"), async () => {
      const { token, package_id, grants } = await owner.grants.issue(wanted);
      return { name, token, id: package_id ?? grants[0]?.grant_id ?? "" };
    });
    return c.redirect(`/agents/made/${pageId}`, 303);
  });

  owned("/agents/made/:page", async (c, session, proof) => {
    const made = kept.take(session, c.req.param("page") ?? "");
    if (made === undefined) return c.html(shownPage({ proof, now: now() }), 410, pageHeaders());
    const origin = originOf(c.req.raw);
    const view = { ...made, mcpUrl: `${origin}/mcp`, ways: waysWithToken(origin, made.token) };
    return c.html(madePage({ ...view, proof, now: now() }), 200, pageHeaders());
  });
}
