import { html } from "hono/html";
import { readsSummary } from "../agents/agents-page.ts";
import { type Html, letterMark } from "../frame/frame.ts";
import { partLabels } from "../frame/words.ts";
import { type Choice, dayChoices, fieldName, partName, pickedCount, presets } from "./choice.ts";
import type { Difference } from "./earlier.ts";
import type { Offer, OfferedPart, OfferedStream } from "./offer.ts";
import type { Review } from "./review.ts";

/** What an owner ticks, wherever something is shared: sources with their accounts and fields, times, and what comes of it. */

export const presetTicks = (): Html =>
  html`${presets.map(({ name, label }) => html`<button name="act" value="preset-${name}">${label}</button>`)}`;

/** The steps of the form that decide nothing. */
export const formTools = (
  action: string,
  { byField }: Choice,
): Html => html`<div class="buttons"><button name="act" value="preview" formaction="${action}#review">Preview</button>
<button name="act" value="${byField ? "by-part" : "by-field"}">${byField ? "Choose by category" : "Choose individual fields"}</button></div>`;

/** `isHeld`: what is offered is what somebody has, not what they ask for. */
export interface FormWords {
  readonly isHeld: boolean;
}

const signs = { more: "+", less: "−", other: "≠" } as const;
const signWords = { more: "Added", less: "Removed", other: "Changed" } as const;

export const changeList = (title: string, changes: readonly Difference[]): Html => html`<h3>${title}</h3>
${
  changes.length === 0
    ? html`<p>No changes.</p>`
    : html`<ul class="changes">${changes.map(
        ({ kind, text }) =>
          html`<li class="${kind}"><span aria-hidden="true">${signs[kind]}</span><span><strong>${signWords[kind]}:</strong> ${text}</span></li>`,
      )}</ul>`
}`;

export function sourceFields(source: Offer["sources"][number], choice: Choice, words: FormWords): Html {
  const { label, accounts, streams } = source;
  // What is ticked is never folded away.
  const { picked } = pickedCount({ ...emptyOffer, sources: [source] }, anyAccount(source, choice));
  return html`<div class="source-row" role="group" aria-label="${label}"><div class="name">${letterMark(label)}<h2>${label}</h2></div>
<div class="what"><div role="group" aria-label="From">${accounts.map(
    ({ id, label: name, held }) =>
      html`<label class="tick"><input type="checkbox" name="account" value="${id}"${choice.accounts.has(id) ? html` checked` : ""}><span>${accountLabel(label, name, held)}</span></label>`,
  )}</div>
<details${picked > 0 ? html` open` : ""}><summary>What it can read<span class="hidden">: ${label}</span></summary>
${streams.map((stream) => streamFields(source, stream, choice, words))}
</details></div></div>`;
}

/** An account that is called as its source is known by what it has. */
const accountLabel = (source: string, name: string, held: string | undefined): Html => {
  if (held === undefined) return html`${name}`;
  return name === source ? html`${held}` : html`${name} <small class="inline">${held}</small>`;
};

const emptyOffer = { asked: true, once: false, unknown: [], besides: [] };

const anyAccount = ({ accounts }: Offer["sources"][number], choice: Choice): Choice => ({
  ...choice,
  accounts: new Set(accounts.map(({ id }) => id)),
});

function streamFields(
  { connectorKey, accounts, streams }: Offer["sources"][number],
  stream: OfferedStream,
  choice: Choice,
  words: FormWords,
): Html {
  const named = streams.length > 1;
  // Where it asks for fewer accounts of this than are offered above.
  const names =
    stream.accounts === undefined || accounts.every(({ id, asked }) => !asked || stream.accounts?.includes(id))
      ? []
      : accounts.filter(({ id }) => stream.accounts?.includes(id)).map(({ label }) => label);
  return html`<div class="stream" role="group" aria-label="${stream.label}">${named ? html`<h3>${stream.label}</h3>` : ""}
${stream.parts.map((part) => (choice.byField ? singleFields(connectorKey, stream.name, part, choice) : wholePart(connectorKey, stream, part, choice)))}
${limitText(stream, names, words)}</div>`;
}

/** What the client itself, or an earlier decision, limited it to. */
function limitText(
  { since, until, resources }: OfferedStream,
  names: readonly string[],
  { isHeld }: FormWords,
): Html | string {
  const limits = [
    names.length === 0 ? "" : listed(names),
    since === undefined ? "" : `since ${since}`,
    until === undefined ? "" : `before ${until}`,
    resources === undefined
      ? ""
      : `${resources.length === 1 ? "one specific record" : `${resources.length} specific records`}`,
  ].filter((text) => text !== "");
  return limits.length === 0
    ? ""
    : html`<p class="soft">${isHeld ? "Limited to" : "Asks only for"} ${limits.join(", ")}.</p>`;
}

function wholePart(connectorKey: string, stream: OfferedStream, part: OfferedPart, choice: Choice): Html {
  const name = partName(connectorKey, stream.name, part.kind);
  const examples = part.fields.flatMap(({ example }) => (example === undefined ? [] : [example])).slice(0, 3);
  const labels = part.fields.map(({ label }) => label).join(", ");
  return html`<label class="tick"><input type="checkbox" name="part" value="${name}"${choice.parts.has(name) ? html` checked` : ""}>
<span>${partLabels[part.kind]}<small>${labels}${examples.length === 0 ? "" : html`; for example ${quoted(examples)}`}</small></span></label>`;
}

const quoted = (examples: readonly string[]): Html =>
  html`${examples.map((example, i) => html`${i === 0 ? "" : ", "}<q>${example}</q>`)}`;

const singleFields = (connectorKey: string, stream: string, part: OfferedPart, choice: Choice): Html =>
  html`${part.fields.map((field) => {
    const name = fieldName(connectorKey, stream, field.name);
    return html`<label class="tick"><input type="checkbox" name="field" value="${name}"${choice.fields.has(name) ? html` checked` : ""}>
<span>${field.label}${field.example === undefined ? "" : html`<small>for example <q>${field.example}</q></small>`}</span></label>`;
  })}`;

/** `end`: how long, if the form lets the owner say so. */
export function timeFields(offer: Offer, choice: Choice, end: Html = daysField(choice)): Html {
  const undated = offer.sources.flatMap(({ label, streams }) =>
    streams.filter(({ timed }) => !timed).map((stream) => `${label}: ${stream.label}`),
  );
  return html`<div class="source-row" role="group" aria-label="Time limits"><div class="name"><h2>Time limits</h2></div><div class="what">
<div class="row">${offer.once ? html`<span data-time="${onceText}">Access is for one use within one hour.</span>` : end}
<label>Only items dated on or after <input type="date" name="since" value="${choice.since}"></label></div>
<p class="soft">Leave empty to include everything, however old. You can revoke access at any time.${undated.length === 0 ? "" : ` These have no dates, so the limit doesn't apply to them: ${undated.join(", ")}.`}</p></div></div>`;
}

const onceText = "once, within one hour";

const daysField = (choice: Choice): Html =>
  html`<label>Access for <select name="days">${dayChoices.map((days) => html`<option value="${days}"${days === choice.days ? html` selected` : ""}>${daysText(days)}</option>`)}</select></label>`;

const daysText = (days: number): string => {
  if (days === 0) return "Until I revoke it";
  return days === 1 ? "1 day" : days === 365 ? "1 year" : `${days} days`;
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** True whatever is ticked: the page may not know of the last tick. */
export const notIncluded = ({ besides }: Offer): string =>
  besides.length === 0
    ? "Anything not selected stays private. Access is read-only."
    : `Anything not selected stays private, including ${listed(besides)}. Access is read-only.`;

export const reviewSection = (
  { reads, cards, firstCall }: Review,
  changes: readonly Difference[] | undefined,
): Html => html`<section class="review" id="review" aria-label="Preview">
<h2>Preview</h2>
${reads.length === 0 ? html`<p class="attention">Nothing is selected. Choose a source and what it can read.</p>` : html`<p>${readsSummary(reads)}</p>`}
${changes === undefined || reads.length === 0 ? "" : changeList("Changes", changes)}
${cards.length === 0 ? "" : html`<h3>Latest records it would see</h3>`}
${cards.map(
  ({ source, title, lines }) => html`<div class="card"><small>${source}</small><div><strong>${title}</strong></div>
<dl>${lines.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl></div>`,
)}
${firstCall === undefined ? "" : html`<details class="told"><summary>Schema it would receive</summary><p class="soft">The exact result of <code>schema {}</code>:</p><pre dir="auto" tabindex="0">${firstCall}</pre></details>`}</section>`;
