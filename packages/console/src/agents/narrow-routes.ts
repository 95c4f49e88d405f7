import type { OwnerApi } from "@pdpp/contract/owner";
import { askedChoice, choiceFrom, regrouped, revisionOf, textIn } from "../consent/choice.ts";
import { type Difference, differences } from "../consent/earlier.ts";
import { decidedOn, type Offer } from "../consent/offer.ts";
import { type Review, reviewOf } from "../consent/review.ts";
import { pageHeaders } from "../frame/frame.ts";
import type { Guard } from "../frame/guard.ts";
import type { Proof } from "../frame/proof.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { agentNamed } from "./agents.ts";
import type { Agent } from "./agents-page.ts";
import { endFault, heldBy, leftRequest, leftSources } from "./narrow.ts";
import { type NarrowView, narrowPage } from "./narrow-page.ts";

const nothingLeft: Review = { reads: [], cards: [] };

/** The owner takes something from an agent without sending it away. */
export function narrowRoutes({ owned, filling }: Guard, { now, ownerOf }: ConsoleParts): void {
  const path = "/agents/:id/narrow";
  const answer = (view: NarrowView, status = 200): Response =>
    new Response(String(narrowPage(view)), { status, headers: pageHeaders() });

  owned(path, async (c, session, proof) => {
    const { id, agent } = await agentNamed(ownerOf(session), c.req.param("id") ?? "");
    if (agent.status !== "active") return c.redirect(`/agents/${id}`, 303);
    if (id !== c.req.param("id")) return c.redirect(`/agents/${id}/narrow`, 303);
    const offer = await heldBy(ownerOf(session), agent);
    return answer({ ...blank(agent, offer, proof, now()), choice: askedChoice(offer, false) });
  });

  filling(path, async (c, session, proof, form) => {
    const owner = ownerOf(session);
    const { id, agent } = await agentNamed(owner, c.req.param("id") ?? "");
    if (agent.status !== "active") return c.redirect(`/agents/${id}`, 303);
    const offer = await heldBy(owner, agent);
    const view = blank(agent, offer, proof, now());
    if (form.get("revision") !== view.revision) {
      const notice = "Its access changed while this page was open. Nothing was saved. Review it and try again.";
      return answer({ ...view, choice: askedChoice(offer, false), notice }, 409);
    }
    const choice = choiceFrom(form);
    const until = textIn(form, "until");
    const act = textIn(form, "act");
    const filled = { ...view, choice, until };
    if (act === "by-field" || act === "by-part")
      return answer({ ...filled, choice: regrouped(offer, choice, act === "by-field") });
    const sources = leftSources(agent.grants, offer, choice);
    const compared = await comparedWith(owner, agent, sources);
    if (act !== "narrow") return answer({ ...filled, ...compared });
    const notice =
      sources.length === 0
        ? "Nothing is selected. To remove all access, revoke it instead."
        : compared.changes.length === 0 && until === ""
          ? "Nothing was changed. Clear something, or choose an earlier end date."
          : endFault(until, agent, now());
    if (notice !== undefined) return answer({ ...filled, notice }, 422);
    const left = await owner.grants.narrow(id, { sources, ...(until === "" ? {} : { expires_at: until }) });
    return c.redirect(`/agents/${left.object === "package" ? id : left.grant_id}?narrowed=1`, 303);
  });
}

type Filled = Omit<NarrowView, "choice">;

const blank = (agent: Agent, offer: Offer, proof: Proof, now: number): Filled => ({
  agent,
  offer,
  until: "",
  revision: revisionOf(
    agent.id,
    agent.grants.map(({ grant_id }) => grant_id),
    decidedOn(offer),
  ),
  notice: undefined,
  review: undefined,
  changes: [],
  proof,
  now,
});

async function comparedWith(
  owner: OwnerApi,
  agent: Agent,
  sources: ReturnType<typeof leftSources>,
): Promise<{ readonly review: Review; readonly changes: readonly Difference[] }> {
  const review = sources.length === 0 ? nothingLeft : await reviewOf(owner, leftRequest(agent, sources));
  return { review, changes: differences(agent.reads, review.reads) };
}
