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
<label>Total <select name="total">${options(whats, question.total)}</select></label>
${bys.length === 0 ? "" : html`<label>Group by <select name="by"><option value="">No grouping</option>${options(bys, question.by ?? (drawn === undefined ? bys[0]?.value : undefined))}</select></label>`}<button>Show</button></form>
${drawn === undefined ? "" : drawnView(question, drawn)}</details>`;
}

function drawnView(
  question: TableQuestion,
  { what, numbers, units, groups, refused }: NonNullable<Totals["drawn"]>,
): Html {
  if (refused !== undefined) return html`<p class="attention">Couldn't calculate totals: ${said(refused)}.</p>`;
  if (units.length > 0)
    return html`<p>Amounts are in several units, so each is totalled separately:</p>
<dl>${units.map(({ unit, value, filter }) => html`<div><dt>${filter === undefined ? unit : html`<a href="${tableAddress({ ...question, filters: [...question.filters, filter] })}">${said(unit)}</a>`}</dt><dd>${said(value)}</dd></div>`)}</dl>`;
  return html`${numbers.length === 0 ? "" : html`<p class="numbers">${numbers.map(({ label, value }) => html`<span>${label} <strong>${said(value)}</strong></span> `)}</p>`}
${groups === undefined ? "" : groups.bars.length === 0 ? html`<p>No data to chart.</p>` : html`<div class="over-time">${linkedBars(what, groups.bars)}${groups.note === undefined ? "" : html`<p class="soft">${groups.note}</p>`}</div>`}`;
}
