import { html } from "hono/html";
import { type Choice, longestName, longestPurpose } from "../consent/choice.ts";
import {
  formTools,
  notIncluded,
  presetTicks,
  reviewSection,
  sourceFields,
  timeFields,
} from "../consent/choice-form.ts";
import type { Offer } from "../consent/offer.ts";
import type { Review } from "../consent/review.ts";
import { consentScriptPath, type Html, page, proofField } from "../frame/frame.ts";
import { said } from "../frame/value-view.ts";
import { around, type Shown } from "./agents-page.ts";
import { type Way, waysView } from "./let-in.ts";

/** A grant that nobody asked for: the owner says who it is for, and gets a token to hand on. */

export interface NewAgentView extends Shown {
  readonly name: string;
  readonly purpose: string;
  readonly offer: Offer;
  readonly choice: Choice;
  /** One filling of the form: sent twice, it makes one grant. */
  readonly formId: string;
  readonly notice: string | undefined;
  readonly review: Review | undefined;
}

const action = "/agents/new";

export function newAgentPage(view: NewAgentView): Html {
  const { offer, choice, review } = view;
  const nothing = offer.sources.length === 0;
  return page(
    "A token by hand",
    html`<p class="back"><a href="/agents">Agents</a></p>
<h1>Make a token by hand</h1>
<p>For a script, or an agent that cannot sign in. Whoever has the token reads what you tick here, until it ends or you revoke it.</p>
${view.notice === undefined ? "" : html`<p class="attention" role="alert">${view.notice}</p>`}
${
  nothing
    ? html`<p class="attention">There is nothing in your vault that could be shared.</p>`
    : html`<form class="consent" method="post" action="${action}" data-unit="${choice.byField ? "field" : "thing"}">${proofField(view.proof)}
<input type="hidden" name="form" value="${view.formId}"><input type="hidden" name="by_field" value="${choice.byField ? "yes" : "no"}">
<div class="source-row"><div class="name"><h2>Who</h2></div><div class="what stack">
<label>Name of the agent <input type="text" name="name" value="${view.name}" maxlength="${longestName}" autocomplete="off"></label>
<label>What for <small>so that you know it again later</small> <input type="text" name="purpose" value="${view.purpose}" maxlength="${longestPurpose}" autocomplete="off"></label></div></div>
<p class="begin">What it may read. Begin with:</p><div class="presets">${presetTicks()}</div>
${offer.sources.map((source) => sourceFields(source, choice, { isHeld: false }))}
${timeFields(offer, choice)}
<p class="not">${notIncluded(offer)}</p>
${formTools(action, choice)}
${review === undefined ? "" : reviewSection(review, undefined)}
<div class="buttons decide"><a class="button" href="/agents">Make nothing</a>
<button class="yes" name="act" value="allow">Allow what is ticked</button></div>
</form>`
}`,
    { ...around(view), scripts: [consentScriptPath] },
  );
}

export interface MadeView extends Shown {
  readonly name: string;
  readonly id: string;
  readonly token: string;
  readonly mcpUrl: string;
  readonly ways: readonly Way[];
}

export const madePage = (view: MadeView): Html =>
  page(
    "A new token",
    html`<p class="back"><a href="/agents">Agents</a></p>
<h1>A token for ${said(view.name)}</h1>
<p class="done" role="status">Copy it now. It is shown this once: your vault keeps no more than a fingerprint of it.</p>
<p><code class="copy">${view.token}</code></p>
<p>It is sent as <code>Authorization: Bearer …</code> to this address:</p>
<p><code class="copy">${view.mcpUrl}</code></p>
<h2>Where it goes</h2>
${waysView(view.ways)}
<p class="soft">Whoever reads these files has the token. <a href="/agents/${view.id}">What it may read, and the button that ends it</a></p>`,
    around(view),
  );

/** The token was shown, or nobody came for it. */
export const shownPage = (shown: Shown): Html =>
  page(
    "The token was shown",
    html`<p class="back"><a href="/agents">Agents</a></p>
<h1>The token was shown once</h1>
<p>It cannot be shown again: your vault does not have it. Nothing was made a second time.</p>
<p>If you did not copy it, <a href="/agents">revoke what was made</a> and <a href="/agents/new">make another</a>.</p>`,
    around(shown),
  );
