import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { addressWith, recordAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import { grouped, said, scalarView } from "../frame/value-view.ts";
import { fieldLabel } from "../frame/words.ts";

import { type Told, toldView } from "./told.ts";

/** One stream of one source as a table. */

const operators = { is: "is", gte: "from", lt: "before" } as const;
type OperatorName = keyof typeof operators;

export interface Filter {
  readonly field: string;
  readonly operator: OperatorName;
  readonly value: string;
}

export interface TableQuestion {
  readonly source: string;
  readonly stream: string;
  readonly order: "asc" | "desc" | undefined;
  readonly columns: readonly string[];
  readonly filters: readonly Filter[];
}

export interface TableView {
  readonly question: TableQuestion;
  readonly declaration: StreamDeclaration;
  readonly cards: readonly EvidenceCard[];
  readonly next: string | undefined;
  readonly isFirst: boolean;
  readonly total: number | undefined;
  readonly names: Names;
  readonly proof: string;
  readonly worn: Worn | undefined;
  readonly told: Told | undefined;
}

const filterText = ({ field, operator, value }: Filter): string => `${field}:${operator}:${value}`;

export function filterFrom(text: string): Filter | undefined {
  const [, field, operator, value = ""] = /^(.+?):(is|gte|lt):([\s\S]*)$/.exec(text) ?? [];
  if (field === undefined || (operator !== "is" && operator !== "gte" && operator !== "lt")) return undefined;
  return { field, operator, value };
}

export const tableAddress = (question: TableQuestion, cursor?: string): string =>
  addressWith("stream", {
    source: question.source,
    stream: question.stream,
    order: question.order,
    column: question.columns,
    filter: question.filters.map(filterText),
    cursor,
  });

const mostColumns = 6;
const columnRoles = ["event-time", "primary-title", "actor", "secondary", "amount", "body"];

/** The columns of a table that nobody chose: what a record is about. */
export function usualColumns({ fields, cursorField }: StreamDeclaration): string[] {
  const hasTime = fields.some(({ role }) => role === "event-time");
  const time = hasTime ? [] : fields.filter(({ name }) => name === cursorField);
  const withRole = columnRoles.flatMap((role) => fields.filter((field) => field.role === role));
  const others = fields.filter((field) => field.role === undefined && field.kind !== "json" && !time.includes(field));
  return [...time, ...withRole, ...others].slice(0, mostColumns).map(({ name }) => name);
}

const canFilter = ({ kind }: FieldDeclaration): boolean => kind !== "json";

export function streamPage(view: TableView): Html {
  const { question, declaration, cards, names, next, total } = view;
  const { source, stream, columns, filters } = question;
  const fields = columns.flatMap((name) => declaration.fields.filter((field) => field.name === name));
  const label = names.stream(source, stream);
  return page(
    label,
    html`<p class="from">${letterMark(names.source(source), "small")}${said(names.source(source))}</p>
<h1>${said(label)}</h1>
<p class="soft">${total === undefined ? "" : html`${grouped(total)} ${total === 1 ? "record" : "records"}`}${view.isFirst ? "" : html` · <a href="${tableAddress(question)}">from the beginning</a>`}</p>
${filters.length === 0 ? "" : html`<ul class="chips">${filters.map((filter) => chip(question, filter, declaration))}</ul>`}
<div class="tools">${filterForm(question, declaration)}${columnForm(question, declaration)}</div>
${cards.length === 0 ? html`<p>No records${filters.length === 0 ? " yet" : " like that"}.</p>` : table(view, fields)}
${next === undefined ? "" : html`<p class="pages"><a rel="next" href="${tableAddress(question, next)}">More</a></p>`}
${toldView(view.told)}`,
    { owner: { room: "/explore", proof: view.proof, worn: view.worn }, isWide: true },
  );
}

function chip(question: TableQuestion, filter: Filter, { fields }: StreamDeclaration): Html {
  const field = fields.find(({ name }) => name === filter.field);
  const without = { ...question, filters: question.filters.filter((each) => each !== filter) };
  return html`<li>${said(field === undefined ? filter.field : fieldLabel(field))} ${operators[filter.operator]} ${said(filter.value)} <a href="${tableAddress(without)}">remove<span class="hidden"> this filter</span></a></li>`;
}

const kept = (
  question: TableQuestion,
  without: "column" | "filter",
): Html => html`<input type="hidden" name="source" value="${question.source}"><input type="hidden" name="stream" value="${question.stream}">
${question.order === undefined ? "" : html`<input type="hidden" name="order" value="${question.order}">`}
${without === "column" ? "" : question.columns.map((name) => html`<input type="hidden" name="column" value="${name}">`)}
${question.filters.map((filter) => html`<input type="hidden" name="filter" value="${filterText(filter)}">`)}`;

const filterForm = (
  question: TableQuestion,
  { fields }: StreamDeclaration,
): Html => html`<details><summary>Filter</summary><form class="line" action="stream">${kept(question, "filter")}
<label>Field <select name="field">${fields.filter(canFilter).map((field) => html`<option value="${field.name}">${fieldLabel(field)}</option>`)}</select></label>
<label>How <select name="operator">${Object.entries(operators).map(([name, words]) => html`<option value="${name}">${words}</option>`)}</select></label>
<label>Value <input type="text" name="value" size="16"></label><button>Filter</button></form></details>`;

const columnForm = (
  question: TableQuestion,
  { fields }: StreamDeclaration,
): Html => html`<details><summary>Columns</summary><form class="columns" action="stream">${kept(question, "column")}
${fields.slice(0, 100).map((field) => html`<label><input type="checkbox" name="column" value="${field.name}"${question.columns.includes(field.name) ? html` checked` : ""}> ${said(fieldLabel(field))}</label>`)}<button>Show these</button></form></details>`;

function table({ question, declaration, cards }: TableView, fields: readonly FieldDeclaration[]): Html {
  const turned = { ...question, order: question.order === "asc" ? "desc" : "asc" } as const;
  const heading = (field: FieldDeclaration) => {
    const number = isNumber(field) ? html` class="number"` : "";
    if (field.name !== declaration.cursorField) return html`<th scope="col"${number}>${said(fieldLabel(field))}</th>`;
    const isRising = question.order === "asc";
    return html`<th scope="col" aria-sort="${isRising ? "ascending" : "descending"}"${number}><a href="${tableAddress(turned)}">${said(fieldLabel(field))} <span aria-hidden="true">${isRising ? "↑" : "↓"}</span></a></th>`;
  };
  const opened = declaration.fields.find(({ role }) => role === "primary-title")?.name;
  const opener = fields.find(({ name }) => name === opened) ?? fields[0];
  const row = (card: EvidenceCard) =>
    html`<tr>${fields.map((field) => html`<td${isNumber(field) ? html` class="number"` : ""}>${field === opener ? opening(card, field) : cell(card, field)}</td>`)}</tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Records"><table class="records"><thead><tr>${fields.map(heading)}</tr></thead>
<tbody>${cards.map(row)}</tbody></table></div>`;
}

/** One cell of each row leads to the record. */
function opening(card: EvidenceCard, field: FieldDeclaration): Html {
  const shown = cell(card, field);
  return html`<a href="${recordAddress(card.id)}">${String(shown) === "" ? "Open" : shown}</a>`;
}

const isNumber = ({ kind }: FieldDeclaration): boolean => kind === "integer" || kind === "number";

const longestCell = 140;
const cut = (text: string): string =>
  text.length > longestCell ? `${text.slice(0, longestCell).toWellFormed()}…` : text;

function cell(card: EvidenceCard, { name }: FieldDeclaration): Html {
  const all: readonly FieldPresentation[] = [
    ...Object.values(card.slots).flatMap((slot) => slot ?? []),
    ...card.fields,
  ];
  const field = all.find(({ field_path }) => field_path === name);
  if (field === undefined) return html``;
  if (field.shown === "preview") return said(cut(`${field.preview}…`));
  if (field.shown === "blob") return html`<span class="soft">file</span>`;
  if (field.shown === "encoded") return html`<span class="soft">bytes</span>`;
  if (field.value === null) return html``;
  if (typeof field.value === "object") return html`<code>${cut(JSON.stringify(field.value))}</code>`;
  return typeof field.value === "string"
    ? scalarView(cut(field.value), field.type)
    : scalarView(field.value, field.type, field.unit);
}
