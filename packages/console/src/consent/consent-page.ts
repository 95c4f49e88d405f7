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
  /** Where the answer goes, in words. */
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
    `${client} asks`,
    html`<div class="title">${letterMark(client)}<h1><q>${client}</q> wants to read some of your data</h1></div>
${view.purposes.map(purposeLines)}
<p class="soft">The answer goes to ${view.target}. The name is what it calls itself; nobody has checked it.</p>
${view.notice === undefined ? "" : html`<p class="attention" role="alert">${view.notice}</p>`}
${view.claims.length === 0 ? "" : claimsSection(view.claims)}
${offer.unknown.length === 0 ? "" : html`<p class="soft">It also asked for what your vault does not have: ${offer.unknown.join(", ")}.</p>`}
${nothing ? html`<p class="attention">There is nothing in your vault that could be shared.</p>` : ""}
<form class="consent" method="post" action="${view.action}" data-unit="${choice.byField ? "field" : "thing"}">
<input type="hidden" name="revision" value="${view.revision}">${proofField(view.proof)}
<input type="hidden" name="by_field" value="${choice.byField ? "yes" : "no"}">
${view.earlier.length === 0 ? "" : earlierSection(view)}
${offer.asked || nothing ? "" : presetButtons(view.earlier.some(({ isSame }) => isSame))}
${offer.sources.map((source) => sourceFields(source, choice, { isHeld: false }))}
${nothing ? "" : timeFields(offer, choice)}
${nothing ? "" : html`<p class="not">${notIncluded(offer)}</p>`}
${nothing ? "" : formTools(view.action, choice)}
${review === undefined ? "" : reviewSection(review, view.earlier.length === 0 ? undefined : view.changes)}
${offer.sources.some(({ purposeCode }) => isTrainingPurpose(purposeCode)) ? trainingQuestion(choice) : ""}
<div class="buttons decide"><button name="act" value="deny">Do not share</button>
${nothing ? "" : html`<button class="yes" name="act" value="allow">Allow what is ticked</button>`}</div>
</form>`,
    { scripts: [consentScriptPath] },
  );
}

function purposeLines({ description, code }: DeclaredPurpose): Html {
  const label = code === undefined ? undefined : describePurpose(code);
  return html`${description === undefined ? "" : html`<p>What for, in its words: <q>${description}</q></p>`}${
    label === undefined ? "" : html`<p>Declared purpose: ${label}.</p>`
  }${code !== undefined && label === undefined && description === undefined ? html`<p>Declared purpose: <code>${code}</code></p>` : ""}`;
}

const claimsSection = (
  claims: readonly string[],
): Html => html`<section class="card claims" aria-label="What the app says">
<h2>The app says</h2><ul>${claims.map((claim) => html`<li><q>${claim}</q></li>`)}</ul>
<p class="soft">These are the app's own promises. Your vault cannot check or enforce them.</p></section>`;

/** Not a required field: the browser would keep the owner from refusing. */
const trainingQuestion = ({
  training,
}: Choice): Html => html`<section class="card" aria-label="Training AI models"><h2>Training AI models</h2>
<p>The app wants to use your data to train AI models.</p>
<label class="tick"><input type="checkbox" name="${trainingField}" value="yes"${training ? html` checked` : ""}>
<span>Yes, this app may use what I share to train AI models<small>You cannot take back what a model has learned, even if you revoke access later.</small></span></label></section>`;

const presetButtons = (isBack: boolean): Html => html`<p class="begin">It did not say what it needs. Begin with:</p>
<div class="presets">${isBack ? html`<button name="act" value="preset-before">What it can read now</button>` : ""}
${presetTicks()}</div>`;

const earlierSection = ({
  earlier,
  replaced,
  offer,
  review,
  changes,
  now,
}: ConsentView): Html => html`<section class="card" aria-label="What it can read already">
${earlier.map(
  ({
    agent,
    isSame,
  }) => html`<h2>${isSame ? "It can read some of your data already" : "A program of this name can read some already"}</h2>
<p>${readsSummary(agent.reads)}</p><p class="soft">${timeLine(agent, now)}</p>
<label class="tick"><input type="checkbox" name="replace" value="${agent.id}"${replaced.has(agent.id) ? html` checked` : ""}>
<span>Replace it<small>${isSame ? "What it can read now ends when you allow this. Leave it unticked if it runs in two places." : "Tick it if that is the same program. It ends when you allow this."}</small></span></label>`,
)}
${offer.asked && review === undefined ? changeList("What it asks for now, compared with that", changes) : ""}</section>`;
