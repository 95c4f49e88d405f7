import { html } from "hono/html";
import type { Html } from "../../frame/frame.ts";
import { renderText } from "../../frame/render/values.ts";
import { renderLinkedBars } from "../linked-bars.ts";
import { renderHiddenFields } from "./table-forms.ts";
import { getTableUrl, type TableQuestion } from "./table-question.ts";
import type { TotalChoice } from "./total-choices.ts";
import type { Totals } from "./totals.ts";

/** The form for totals, and their result. */
export function renderTotals(question: TableQuestion, totals: Totals | undefined): Html {
  if (totals === undefined) return html``;
  const { whats, bys, result } = totals;
  const renderOptions = (all: readonly TotalChoice[], chosen: string | undefined) =>
    all.map(
      ({ value, label }) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${label}</option>`,
    );
  return html`<details${result === undefined ? "" : html` open`}><summary>Totals</summary>
<form class="line" action="stream">${renderHiddenFields(question, "total")}
<label>Total <select name="total">${renderOptions(whats, question.total)}</select></label>
${bys.length === 0 ? "" : html`<label>Group by <select name="by"><option value="">No grouping</option>${renderOptions(bys, question.by ?? (result === undefined ? bys[0]?.value : undefined))}</select></label>`}<button>Show</button></form>
${result === undefined ? "" : renderResult(question, result)}</details>`;
}

function renderResult(
  question: TableQuestion,
  { what, numbers, units, groups, refused }: NonNullable<Totals["result"]>,
): Html {
  if (refused !== undefined) return html`<p class="attention">Couldn't calculate totals: ${renderText(refused)}.</p>`;
  if (units.length > 0)
    return html`<p>Amounts are in several units, so each is totalled separately:</p>
<dl>${units.map(({ unit, value, filter }) => html`<div><dt>${filter === undefined ? unit : html`<a href="${getTableUrl({ ...question, filters: [...question.filters, filter] })}">${renderText(unit)}</a>`}</dt><dd>${renderText(value)}</dd></div>`)}</dl>`;
  return html`${numbers.length === 0 ? "" : html`<p class="numbers">${numbers.map(({ label, value }) => html`<span>${label} <strong>${renderText(value)}</strong></span> `)}</p>`}
${groups === undefined ? "" : groups.bars.length === 0 ? html`<p>No data to chart.</p>` : html`<div class="over-time">${renderLinkedBars(what, groups.bars)}${groups.note === undefined ? "" : html`<p class="soft">${groups.note}</p>`}</div>`}`;
}
