import { formatInstant } from "@pdpp/contract/instant";
import type { AccessChange } from "@pdpp/server/consent/access";
import type { Agent } from "@pdpp/server/consent/agents";
import type { Choice } from "@pdpp/server/consent/choice";
import type { Offer } from "@pdpp/server/consent/offer";
import type { Preview } from "@pdpp/server/consent/preview";
import { html } from "hono/html";
import { formTools, previewSection, sourceFields, timeFields } from "../consent/choice-form.ts";
import { type Html, letterMark, page, proofField } from "../frame/frame.ts";
import { onDay } from "../frame/time-words.ts";
import { said } from "../frame/value-view.ts";
import { around, type Shown } from "./agents-page.ts";

/** The consent form, showing an agent's current access for the owner to reduce. */

export interface NarrowView extends Shown {
  readonly agent: Agent;
  readonly offer: Offer;
  readonly choice: Choice;
  /** An earlier end date, or empty. */
  readonly until: string;
  readonly revision: string;
  readonly notice: string | undefined;
  readonly preview: Preview | undefined;
  readonly changes: readonly AccessChange[];
}

export function narrowPage(view: NarrowView): Html {
  const { agent, offer, choice, preview } = view;
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
${offer.sources.map((source) => sourceFields(source, choice, { isCurrent: true }))}
${timeFields(offer, choice, endField(view))}
${formTools(action, choice)}
${preview === undefined ? "" : previewSection(preview, view.changes)}
<div class="buttons decide"><a class="button" href="/agents/${agent.id}">Cancel</a>
<button class="yes" name="act" value="narrow">Save changes</button></div>
</form>
<p class="soft">To give more access, have the agent ask again.</p>`,
    around(view),
  );
}

const endField = ({ agent, until, now }: NarrowView): Html => {
  const day = (at: number): string => formatInstant(at).slice(0, 10);
  const latest = agent.until === undefined ? "" : html` max="${day(agent.until)}"`;
  return html`<label>Access ends on <input type="date" name="until" value="${until}" min="${day(now + 86_400_000)}"${latest}></label>
<span class="soft">at 00:00 UTC. Leave empty to keep the current end${agent.until === undefined ? " (until you revoke it)" : html` (${onDay(agent.until)})`}.</span>`;
};
