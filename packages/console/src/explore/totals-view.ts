import { html } from "hono/html";
import type { Html } from "../frame/frame.ts";
import { said } from "../frame/value-view.ts";
import { linkedBars } from "./linked-bars.ts";
import { keptFields } from "./table-forms.ts";
import { type TableQuestion, tableAddress } from "./table-question.ts";
import type { TotalChoice } from "./total-choices.ts";
import type { Totals } from "./totals.ts";

/** What is counted or added up, by what, and what came of it. */
export function totalsView(question: TableQuestion, totals: Totals | undefined): Html {
  if (totals === undefined) return html``;
  const { whats, bys, drawn } = totals;
  const options = (all: readonly TotalChoice[], chosen: string | undefined) =>
    all.map(
      ({ value, label }) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${label}</option>`,
    );
  return html`<details${drawn === undefined ? "" : html` open`}><summary>Totals</summary>
<form class="line" action="stream">${keptFields(question, "total")}
<label>What <select name="total">${options(whats, question.total)}</select></label>
${bys.length === 0 ? "" : html`<label>By <select name="by"><option value="">all together</option>${options(bys, question.by ?? (drawn === undefined ? bys[0]?.value : undefined))}</select></label>`}<button>Draw</button></form>
${drawn === undefined ? "" : drawnView(question, drawn)}</details>`;
}

function drawnView(
  question: TableQuestion,
  { what, numbers, units, groups, refused }: NonNullable<Totals["drawn"]>,
): Html {
  if (refused !== undefined) return html`<p class="attention">This could not be counted: ${said(refused)}.</p>`;
  if (units.length > 0)
    return html`<p>The amounts are in several units, which do not add up. By unit:</p>
<dl>${units.map(({ unit, value, filter }) => html`<div><dt>${filter === undefined ? unit : html`<a href="${tableAddress({ ...question, filters: [...question.filters, filter] })}">${said(unit)}</a>`}</dt><dd>${said(value)}</dd></div>`)}</dl>`;
  return html`${numbers.length === 0 ? "" : html`<p class="numbers">${numbers.map(({ label, value }) => html`<span>${label} <strong>${said(value)}</strong></span> `)}</p>`}
${groups === undefined ? "" : groups.bars.length === 0 ? html`<p>There is nothing to draw.</p>` : html`<div class="over-time">${linkedBars(what, groups.bars)}${groups.note === undefined ? "" : html`<p class="soft">${groups.note}</p>`}</div>`}`;
}
