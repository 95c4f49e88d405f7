import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { labelField } from "@pdpp/server/consent/labels";
import { html } from "hono/html";
import type { Html } from "../frame/frame.ts";
import { said } from "../frame/value-view.ts";
import { type Filter, filterText, operators, rawAddress, type TableQuestion, tableAddress } from "./table-question.ts";

/** What a table can be asked otherwise: filters, columns, and its raw forms. */

/** All that the address says, but for what the form is about. */
export const keptFields = (
  question: TableQuestion,
  without: "column" | "filter" | "total",
): Html => html`<input type="hidden" name="source" value="${question.source}"><input type="hidden" name="stream" value="${question.stream}">
${question.order === undefined ? "" : html`<input type="hidden" name="order" value="${question.order}">`}
${without === "column" ? "" : question.columns.map((name) => html`<input type="hidden" name="column" value="${name}">`)}
${question.filters.map((filter) => html`<input type="hidden" name="filter" value="${filterText(filter)}">`)}
${without === "total" || question.total === undefined ? "" : html`<input type="hidden" name="total" value="${question.total}"><input type="hidden" name="by" value="${question.by ?? ""}">`}`;

export function chips(question: TableQuestion, { fields }: StreamDeclaration): Html {
  if (question.filters.length === 0) return html``;
  const chip = (filter: Filter) => {
    const field = fields.find(({ name }) => name === filter.field);
    const without = { ...question, filters: question.filters.filter((each) => each !== filter) };
    return html`<li>${said(field === undefined ? filter.field : labelField(field))} ${operators[filter.operator]} ${said(filter.value)} <a href="${tableAddress(without)}">Remove<span class="hidden"> this filter</span></a></li>`;
  };
  return html`<ul class="chips">${question.filters.map(chip)}</ul>`;
}

const canFilter = ({ kind }: FieldDeclaration): boolean => kind !== "json";

export const filterForm = (
  question: TableQuestion,
  { fields }: StreamDeclaration,
): Html => html`<details><summary>Filter</summary><form class="line" action="stream">${keptFields(question, "filter")}
<label>Field <select name="field">${fields.filter(canFilter).map((field) => html`<option value="${field.name}">${labelField(field)}</option>`)}</select></label>
<label>Condition <select name="operator">${Object.entries(operators).map(([name, words]) => html`<option value="${name}">${words}</option>`)}</select></label>
<label>Value <input type="text" name="value" size="16"></label><button>Apply</button></form></details>`;

export const columnForm = (
  question: TableQuestion,
  { fields }: StreamDeclaration,
): Html => html`<details><summary>Columns</summary><form class="columns" action="stream">${keptFields(question, "column")}
${fields.slice(0, 100).map((field) => html`<label><input type="checkbox" name="column" value="${field.name}"${question.columns.includes(field.name) ? html` checked` : ""}> ${said(labelField(field))}</label>`)}<button>Apply</button></form></details>`;

export const rawLinks = (question: TableQuestion): Html =>
  html`<p class="raw soft">Download <a href="${rawAddress(question, "csv")}" download>CSV</a> · <a href="${rawAddress(question, "json")}" download>JSON</a> · <a href="${rawAddress(question, "ndjson")}" download>NDJSON</a></p>`;
