import { type AccessChange, compareAccess } from "@pdpp/consent/access";
import { type Agent, loadAgent } from "@pdpp/consent/agents";
import { chooseRequested, hashRevision, parseChoice, readText } from "@pdpp/consent/choice";
import { buildCurrentOffer, buildNarrowedRequest, checkEndDate, narrowSources } from "@pdpp/consent/narrow";
import { listDecisionFacts, type Offer } from "@pdpp/consent/offer";
import { buildPreview, emptyPreview, type Preview } from "@pdpp/consent/preview";
import type { OwnerApi } from "@pdpp/contract/owner";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import type { ConsoleParts } from "../frame/session.ts";
import type { Viewer } from "../frame/viewer.ts";
import { type NarrowView, renderNarrowPage } from "./narrow-page.tsx";

export function addNarrowRoutes({ page, wizard }: Guard, { now, getOwner }: ConsoleParts): void {
  const path = "/agents/:id/narrow";
  const respond = (view: NarrowView, status = 200): Response =>
    new Response(String(renderNarrowPage(view)), { status, headers: buildPageHeaders() });

  page(path, async (c, session, viewer) => {
    const { id, agent } = await loadAgent(getOwner(session), c.req.param("id") ?? "");
    if (agent.status !== "active") return c.redirect(`/agents/${id}`, 303);
    if (id !== c.req.param("id")) return c.redirect(`/agents/${id}/narrow`, 303);
    const offer = await buildCurrentOffer(getOwner(session), agent);
    return respond({ ...createView(agent, offer, viewer, now()), choice: chooseRequested(offer, false) });
  });

  wizard(path, async (c, session, viewer, form) => {
    const owner = getOwner(session);
    const { id, agent } = await loadAgent(owner, c.req.param("id") ?? "");
    if (agent.status !== "active") return c.redirect(`/agents/${id}`, 303);
    const offer = await buildCurrentOffer(owner, agent);
    const view = createView(agent, offer, viewer, now());
    if (form.get("revision") !== view.revision) {
      const notice = "Its access changed while this page was open. Nothing was saved. Review it and try again.";
      return respond({ ...view, choice: chooseRequested(offer, false), notice }, 409);
    }
    const choice = parseChoice(form, offer);
    const until = readText(form, "until");
    const act = readText(form, "act");
    const filled = { ...view, choice, until };
    if (act === "by-field" || act === "by-part")
      return respond({ ...filled, choice: { ...choice, byField: act === "by-field" } });
    const sources = narrowSources(agent.grants, offer, choice);
    const compared = await compareWithCurrent(owner, agent, sources);
    if (act !== "narrow") return respond({ ...filled, ...compared });
    const notice =
      sources.length === 0
        ? "Nothing is selected. To remove all access, revoke it instead."
        : compared.changes.length === 0 && until === ""
          ? "Nothing was changed. Clear something, or choose an earlier end date."
          : checkEndDate(until, agent, now());
    if (notice !== undefined) return respond({ ...filled, notice }, 422);
    const left = await owner.grants.narrow(id, { sources, ...(until === "" ? {} : { expires_at: until }) });
    return c.redirect(`/agents/${left.object === "package" ? id : left.grant_id}?narrowed=1`, 303);
  });
}

type ViewWithoutChoice = Omit<NarrowView, "choice">;

const createView = (agent: Agent, offer: Offer, viewer: Viewer, now: number): ViewWithoutChoice => ({
  agent,
  offer,
  until: "",
  revision: hashRevision(
    agent.id,
    agent.grants.map(({ grant_id }) => grant_id),
    listDecisionFacts(offer),
  ),
  notice: undefined,
  preview: undefined,
  changes: [],
  viewer,
  now,
});

async function compareWithCurrent(
  owner: OwnerApi,
  agent: Agent,
  sources: ReturnType<typeof narrowSources>,
): Promise<{ readonly preview: Preview; readonly changes: readonly AccessChange[] }> {
  const preview = sources.length === 0 ? emptyPreview : await buildPreview(owner, buildNarrowedRequest(agent, sources));
  return { preview, changes: compareAccess(agent.access, preview.access) };
}
