import { isoOf } from "@pdpp/contract/instant";
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
    `Less for ${agent.client}`,
    html`<p class="back"><a href="/agents/${agent.id}">${said(agent.client)}</a></p>
<div class="title">${letterMark(agent.client)}<h1>What ${said(agent.client)} may still read</h1></div>
<p>Ticked is what it can read now. Take away what it should not have. It stays connected and sees less from its next call on; what it has read already, it keeps.</p>
${view.notice === undefined ? "" : html`<p class="attention" role="alert">${view.notice}</p>`}
<form class="consent" method="post" action="${action}">
<input type="hidden" name="revision" value="${view.revision}">${proofField(view.proof)}
<input type="hidden" name="by_field" value="${choice.byField ? "yes" : "no"}">
${offer.sources.map((source) => sourceFields(source, choice, { isHeld: true }))}
${timeFields(offer, choice, endField(view))}
${formTools(action, choice)}
${review === undefined ? "" : reviewSection(review, view.changes)}
<div class="buttons decide"><a class="button" href="/agents/${agent.id}">Leave it as it is</a>
<button class="yes" name="act" value="narrow">Let it read only this</button></div>
</form>
<p class="soft">More than it has now, or longer, is not given here: for that the agent asks again, and you see what for.</p>`,
    around(view),
  );
}

/** A day begins at midnight, by the clock that the vault goes by. */
const endField = ({ agent, until, now }: NarrowView): Html => {
  const day = (at: number): string => isoOf(at).slice(0, 10);
  const latest = agent.until === undefined ? "" : html` max="${day(agent.until)}"`;
  return html`<label>It stops on <input type="date" name="until" value="${until}" min="${day(now + 86_400_000)}"${latest}></label>
<span class="soft">at midnight (UTC) before that day; without one ${agent.until === undefined ? "when you revoke it" : html`on ${onDay(agent.until)}`}, as now</span>`;
};
