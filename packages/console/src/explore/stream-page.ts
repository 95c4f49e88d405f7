import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { EvidenceCard, Warning } from "@pdpp/contract/wire";
import { labelField } from "@pdpp/server/consent/labels";
import { html } from "hono/html";
import { recordAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { counted, said, scalarView } from "../frame/value-view.ts";
import { asSentence } from "../frame/words.ts";
import { exploreAddress } from "./question.ts";
import { presentedIn } from "./record.ts";
import { chips, columnForm, filterForm, rawLinks } from "./table-forms.ts";
import { type TableQuestion, tableAddress } from "./table-question.ts";
import { besideTold, type Told } from "./told.ts";
import type { Totals } from "./totals.ts";
import { totalsView } from "./totals-view.ts";

/** One stream of one source as a table. */

export interface TableView {
  readonly question: TableQuestion;
  readonly declaration: StreamDeclaration;
  readonly cards: readonly EvidenceCard[];
  readonly next: string | undefined;
  readonly isFirst: boolean;
  readonly total: number | undefined;
  readonly totals: Totals | undefined;
  readonly names: Names;
  readonly proof: Proof;
  readonly worn: Worn | undefined;
  readonly told: Told | undefined;
  /** What the answer says beside its records. */
  readonly notes: readonly Warning[];
}

export function streamPage(view: TableView): Html {
  const { question, declaration, cards, names, next, total } = view;
  const { source, stream, columns, filters } = question;
  const fields = columns.flatMap((name) => declaration.fields.filter((field) => field.name === name));
  const label = names.stream(source, stream);
  const shown = html`<p class="from">${letterMark(names.source(source), "small")}${said(names.source(source))}</p>
<h1>${said(label)}</h1>
<p class="soft">${total === undefined ? "" : counted(total, "record")}${view.isFirst ? "" : html` · <a href="${tableAddress(question)}">First page</a>`}</p>
${chips(question, declaration)}
<div class="tools">${filterForm(question, declaration)}${columnForm(question, declaration)}${totalsView(question, view.totals)}${rawLinks(question)}</div>
${cards.length === 0 ? html`<p>${filters.length === 0 ? "No records yet." : "No matching records."}</p>${emptyNotes(view)}` : table(view, fields)}
${next === undefined ? "" : html`<p class="pages"><a rel="next" href="${tableAddress(question, next)}">More</a></p>`}`;
  return page(label, besideTold(shown, view.told), {
    owner: { room: "/explore", proof: view.proof, worn: view.worn },
    isWide: true,
  });
}

/** Why filters found nothing: what comes close, and the search that finds parts of a value. */
function emptyNotes({ question, notes }: TableView): Html {
  const { source, stream, filters } = question;
  const all = notes.filter(({ code }) => code === "no_exact_match");
  return html`${all.map(({ message, detail, reads = [] }) => {
    const { field = "", close_values: close = [] } = detail ?? {};
    const [words = ""] = message.split(";");
    const links = close.map((value) => {
      const kept = filters.filter((each) => each.field !== field || each.operator !== "is");
      const there = { ...question, filters: [...kept, { field, operator: "is" as const, value }] };
      return html`<li><a href="${tableAddress(there)}">${said(value)}</a></li>`;
    });
    const search = reads.find((read) => read.operation === "search");
    return html`<p class="soft note">${said(asSentence(words))}</p>
${links.length === 0 ? "" : html`<p>Similar values:</p><ul>${links}</ul>`}
${search === undefined ? "" : html`<p><a href="${exploreAddress({ q: search.arguments.q, source, stream })}">Search for ${said(search.arguments.q)}</a></p>`}`;
  })}`;
}

function table({ question, declaration, cards }: TableView, fields: readonly FieldDeclaration[]): Html {
  const turned = { ...question, order: question.order === "asc" ? "desc" : "asc" } as const;
  const heading = (field: FieldDeclaration) => {
    const number = isNumber(field) ? html` class="number"` : "";
    if (field.name !== declaration.cursorField) return html`<th scope="col"${number}>${said(labelField(field))}</th>`;
    const isRising = question.order === "asc";
    return html`<th scope="col" aria-sort="${isRising ? "ascending" : "descending"}"${number}><a href="${tableAddress(turned)}">${said(labelField(field))} <span aria-hidden="true">${isRising ? "↑" : "↓"}</span></a></th>`;
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
  const field = presentedIn(card).find(({ field_path }) => field_path === name);
  if (field === undefined) return html``;
  if (field.shown === "preview") return said(cut(`${field.preview}…`));
  if (field.shown === "blob") return html`<span class="soft">file</span>`;
  if (field.shown === "encoded") return html`<span class="soft">data</span>`;
  if (field.value === null) return html``;
  if (typeof field.value === "object") return html`<code>${cut(JSON.stringify(field.value))}</code>`;
  return typeof field.value === "string"
    ? scalarView(cut(field.value), field.type)
    : scalarView(field.value, field.type, field.unit);
}
