import { formatInstant } from "@pdpp/contract/instant";
import { html } from "hono/html";
import type { Choice } from "../consent/choice.ts";
import { formTools, reviewSection, sourceFields, timeFields } from "../consent/choice-form.ts";
import type { Difference } from "../consent/earlier.ts";
import type { Offer } from "../consent/offer.ts";
import type { Review } from "../consent/review.ts";
import { type Html, letterMark, page, proofField } from "../frame/frame.ts";
import { onDay } from "../frame/time-words.ts";
import { said } from "../frame/value-view.ts";
import { type Agent, around, type Shown } from "./agents-page.ts";

/** The form of consent once more, with what an agent has: the owner takes ticks away. */

export interface NarrowView extends Shown {
  readonly agent: Agent;
  readonly offer: Offer;
  readonly choice: Choice;
  /** The day on which it is to end, if sooner than now. */
  readonly until: string;
  readonly revision: string;
  readonly notice: string | undefined;
  readonly review: Review | undefined;
  readonly changes: readonly Difference[];
}

export function narrowPage(view: NarrowView): Html {
  const { agent, offer, choice, review } = view;
  const action = `/agents/${agent.id}/narrow`;
  return page(
    `Reduce access: ${agent.client}`,
    html`<p class="back"><a href="/agents/${agent.id}">${said(agent.client)}</a></p>
<div class="title">${letterMark(agent.client)}<h1>Reduce access for ${said(agent.client)}</h1></div>
<p>Clear what it should no longer read. It stays connected, and the change applies from its next request. Data it has already read can't be taken back.</p>
${view.notice === undefined ? "" : html`<p class="attention" role="alert">${view.notice}</p>`}
<form class="consent" method="post" action="${action}">
<input type="hidden" name="revision" value="${view.revision}">${proofField(view.proof)}
<input type="hidden" name="by_field" value="${choice.byField ? "yes" : "no"}">
${offer.sources.map((source) => sourceFields(source, choice, { isHeld: true }))}
${timeFields(offer, choice, endField(view))}
${formTools(action, choice)}
${review === undefined ? "" : reviewSection(review, view.changes)}
<div class="buttons decide"><a class="button" href="/agents/${agent.id}">Cancel</a>
<button class="yes" name="act" value="narrow">Save changes</button></div>
</form>
<p class="soft">To give more access, have the agent ask again.</p>`,
    around(view),
  );
}

/** A day begins at midnight, by the clock that the vault goes by. */
const endField = ({ agent, until, now }: NarrowView): Html => {
  const day = (at: number): string => formatInstant(at).slice(0, 10);
  const latest = agent.until === undefined ? "" : html` max="${day(agent.until)}"`;
  return html`<label>Access ends on <input type="date" name="until" value="${until}" min="${day(now + 86_400_000)}"${latest}></label>
<span class="soft">at 00:00 UTC. Leave empty to keep the current end${agent.until === undefined ? " (until you revoke it)" : html` (${onDay(agent.until)})`}.</span>`;
};
