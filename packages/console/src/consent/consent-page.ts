import { describePurpose, isTrainingPurpose } from "@pdpp/contract/purpose";
import { html } from "hono/html";
import { readsSummary, timeLine } from "../agents/agents-page.ts";
import { consentScriptPath, type Html, letterMark, page, proofField } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { type Choice, trainingField } from "./choice.ts";
import {
  changeList,
  formTools,
  notIncluded,
  presetTicks,
  reviewSection,
  sourceFields,
  timeFields,
} from "./choice-form.ts";
import type { Difference, Earlier } from "./earlier.ts";
import type { Offer } from "./offer.ts";
import type { Review } from "./review.ts";

/** Who asks for what, and what the owner lets them have. */

/** What a client says it is for: in its own words, as a code, or both. */
export interface DeclaredPurpose {
  readonly description: string | undefined;
  readonly code: string | undefined;
}

export interface ConsentView {
  readonly action: string;
  readonly client: string;
  readonly purposes: readonly DeclaredPurpose[];
  /** What the client promises. Nobody can check it. */
  readonly claims: readonly string[];
  /** Who receives the access, as a sentence. */
  readonly target: string;
  readonly offer: Offer;
  readonly choice: Choice;
  /** What this client, or one of its name, can read already; and which of it ends when this is allowed. */
  readonly earlier: readonly Earlier[];
  readonly replaced: ReadonlySet<string>;
  /** Of what was asked, or of what is ticked when it is reviewed. */
  readonly changes: readonly Difference[];
  readonly revision: string;
  readonly proof: Proof;
  readonly now: number;
  readonly notice: string | undefined;
  readonly review: Review | undefined;
}

export function consentPage(view: ConsentView): Html {
  const { client, offer, choice, review } = view;
  const nothing = offer.sources.length === 0;
  return page(
    `${client} requests access`,
    html`<div class="title">${letterMark(client)}<h1><q>${client}</q> wants to read your data</h1></div>
${view.purposes.map(purposeLines)}
<p class="soft">${view.target} <q>${client}</q> is the name it gave; it isn't verified.</p>
${view.notice === undefined ? "" : html`<p class="attention" role="alert">${view.notice}</p>`}
${view.claims.length === 0 ? "" : claimsSection(view.claims)}
${offer.unknown.length === 0 ? "" : html`<p class="soft">It also asked for data your vault doesn't have: ${offer.unknown.join(", ")}.</p>`}
${nothing ? html`<p class="attention">Your vault has no data to share yet.</p>` : ""}
<form class="consent" method="post" action="${view.action}">
<input type="hidden" name="revision" value="${view.revision}">${proofField(view.proof)}
<input type="hidden" name="by_field" value="${choice.byField ? "yes" : "no"}">
${view.earlier.length === 0 ? "" : earlierSection(view)}
${
  offer.asked || nothing
    ? ""
    : presetButtons(
        client,
        view.earlier.some(({ isSame }) => isSame),
      )
}
${offer.sources.map((source) => sourceFields(source, choice, { isHeld: false }))}
${nothing ? "" : timeFields(offer, choice)}
${nothing ? "" : html`<p class="not">${notIncluded(offer)}</p>`}
${nothing ? "" : formTools(view.action, choice)}
${review === undefined ? "" : reviewSection(review, view.earlier.length === 0 ? undefined : view.changes)}
${offer.sources.some(({ purposeCode }) => isTrainingPurpose(purposeCode)) ? trainingQuestion(choice) : ""}
<div class="buttons decide"><button name="act" value="deny">Cancel</button>
${nothing ? "" : html`<button class="yes" name="act" value="allow" data-label="Allow access">Allow access</button>`}</div>
</form>`,
    { scripts: [consentScriptPath] },
  );
}

function purposeLines({ description, code }: DeclaredPurpose): Html {
  const label = code === undefined ? undefined : describePurpose(code);
  return html`${description === undefined ? "" : html`<p>Stated purpose: <q>${description}</q></p>`}${
    label === undefined ? "" : html`<p>Declared purpose: ${label}.</p>`
  }${code !== undefined && label === undefined && description === undefined ? html`<p>Declared purpose: <code>${code}</code></p>` : ""}`;
}

const claimsSection = (
  claims: readonly string[],
): Html => html`<section class="card claims" aria-label="The app's promises">
<h2>The app promises</h2><ul>${claims.map((claim) => html`<li><q>${claim}</q></li>`)}</ul>
<p class="soft">Your vault can't check or enforce these.</p></section>`;

/** Not a required field: the browser would keep the owner from refusing. */
const trainingQuestion = ({
  training,
}: Choice): Html => html`<section class="card" aria-label="Training AI models"><h2>Training AI models</h2>
<p>The app wants to use your data to train AI models.</p>
<label class="tick"><input type="checkbox" name="${trainingField}" value="yes"${training ? html` checked` : ""}>
<span>Yes, this app may use what I share to train AI models<small>What a model has learned can't be taken back, even if you revoke access later.</small></span></label></section>`;

const presetButtons = (
  client: string,
  isBack: boolean,
): Html => html`<p class="begin">${client} didn't ask for anything specific. Start from:</p>
<div class="presets">${isBack ? html`<button name="act" value="preset-before">Its current access</button>` : ""}
${presetTicks()}</div>`;

const earlierSection = ({
  earlier,
  replaced,
  offer,
  review,
  changes,
  now,
}: ConsentView): Html => html`<section class="card" aria-label="Current access">
${earlier.map(
  ({ agent, isSame }) => html`<h2>${isSame ? "It already has access" : "An app with this name already has access"}</h2>
<p>${readsSummary(agent.reads)}</p><p class="soft">${timeLine(agent, now)}</p>
<label class="tick"><input type="checkbox" name="replace" value="${agent.id}"${replaced.has(agent.id) ? html` checked` : ""}>
<span>Replace this access<small>${isSame ? "Its current access ends when you allow this. Keep both if you use it on two computers." : "Select this if it is the same app. Its current access ends when you allow this."}</small></span></label>`,
)}
${offer.asked && review === undefined ? changeList("Changes in this request", changes) : ""}</section>`;
