import type { EvidenceCard, FieldPresentation, FieldWindow, RecordVersion, SingleCard } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { recordAddress, streamAddress, textAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { eventTimeView, fieldView, grouped, said, verbatim, whenOf } from "../frame/value-view.ts";
import { relatedView } from "./related.ts";
import { besideTold, type Told } from "./told.ts";

/** One record: what it says first, then every field by its part, then what belongs to it. */

export interface RecordView {
  readonly card: SingleCard;
  /** The passage that led here. */
  readonly cited: Html;
  readonly versions: readonly RecordVersion[];
  /** The beginnings of its long texts, by field. */
  readonly texts: ReadonlyMap<string, FieldWindow>;
  /** Fields that the card has no room for. */
  readonly omitted: readonly string[];
  readonly told: Told | undefined;
  /** Who has read it. */
  readonly readers: Html;
  readonly names: Names;
  readonly proof: Proof;
  readonly worn: Worn | undefined;
}

export const recordFrame = ({ proof, worn }: { readonly proof: Proof; readonly worn: Worn | undefined }) =>
  ({ owner: { room: "/explore", proof, worn }, isWide: worn !== undefined }) as const;

/** Who and what first, then when and how much, then files; what has no part comes as it is declared. */
const partOrder = [
  "primary-title",
  "actor",
  "secondary",
  "event-time",
  "amount",
  "body",
  "media",
  "blob-reference",
] as const;

export function recordPage(view: RecordView): Html {
  const { card, texts, names } = view;
  const { connection_id: source, stream } = card;
  const all = [...partOrder.flatMap((role) => card.slots[role] ?? []), ...card.fields];
  const body = all.filter(({ field_path }) => texts.has(field_path));
  const repeated = all.filter((field) => field.shown === "inline" && field.repeats === true && !body.includes(field));
  const others = all.filter((field) => !body.includes(field) && !isEmpty(field) && !repeated.includes(field));
  const row = (field: FieldPresentation) =>
    html`<div><dt>${said(names.field(source, stream, field.field_path))}</dt><dd>${fieldView(card.id, field, card.record_version)}</dd></div>`;
  const empty = all.filter(isEmpty);
  const shown = html`${recordHead(card, names)}
${view.cited}
${body.map((field) => bodyView(card, field, texts.get(field.field_path), names))}
<h2 class="hidden">Fields</h2>
<dl class="fields">${others.map(row)}
${view.omitted.map((name) => html`<div><dt>${said(names.field(source, stream, name))}</dt><dd><a href="${textAddress({ id: card.id, field: name, version: card.record_version })}">Show</a></dd></div>`)}</dl>
${empty.length === 0 ? "" : html`<p class="soft">Empty: ${empty.map(({ field_path }, i) => html`${i === 0 ? "" : ", "}${said(names.field(source, stream, field_path))}`)}</p>`}
${relatedView(card, names)}
${versionsView(card, view.versions, names)}
${view.readers}
<details class="about-it"><summary>Technical details</summary><dl>${repeated.map(row)}<div><dt>Handle</dt><dd><code>${card.id}</code></dd></div><div><dt>Version</dt><dd>${card.record_version}</dd></div><div><dt>Stored</dt><dd>${whenOf(card.emitted_at) ?? ""}</dd></div></dl></details>`;
  return page(card.title, besideTold(shown, view.told), recordFrame(view));
}

const isEmpty = (field: FieldPresentation): boolean =>
  field.shown === "inline" && (field.value === null || field.value === "");

export interface Headed {
  readonly id: string;
  readonly title: string;
  readonly connection_id: string;
  readonly stream: string;
  readonly event_time?: string | number | undefined;
  readonly local_time?: string | undefined;
}

export function recordHead(head: Headed, names: Names): Html {
  const { title, connection_id: source, stream } = head;
  const when = eventTimeView(head);
  return html`<p class="from">${letterMark(names.source(source), "small")}<a href="${streamAddress(source, stream)}">${said(names.source(source))} · ${said(names.stream(source, stream))}</a>${when === undefined ? "" : html` · ${when}`}</p>
<h1>${said(title)}</h1>`;
}

function bodyView(card: EvidenceCard, field: FieldPresentation, window: FieldWindow | undefined, names: Names): Html {
  if (window === undefined) return html``;
  const { text, end_chars, total_chars } = window.window;
  const { id, record_version: version } = card;
  return html`<section class="text"><h2 class="label">${said(names.field(card.connection_id, card.stream, field.field_path))}</h2>
<div class="prose" dir="auto">${verbatim(text)}</div>
${end_chars < total_chars ? html`<p class="pages"><a rel="next" href="${textAddress({ id, field: field.field_path, offset: end_chars, version })}">Continue reading</a> <span class="soft">${grouped(end_chars)} of ${grouped(total_chars)} characters</span></p>` : ""}</section>`;
}

const mostNamed = 6;

function versionsView(card: EvidenceCard, versions: readonly RecordVersion[], names: Names): Html {
  const { id, connection_id: source, stream } = card;
  if (versions.length < 2) return html``;
  const oldest = versions.at(-1);
  const changes = ({ changed }: RecordVersion): Html => {
    if (changed === undefined)
      return html`${oldest?.record_version === "1" ? "first stored" : "oldest stored version"}`;
    if (changed.length === 0) return html`no visible changes`;
    return html`changed ${changed.slice(0, mostNamed).map((field, i) => html`${i === 0 ? "" : ", "}${said(names.field(source, stream, field))}`)}${changed.length > mostNamed ? ` and ${grouped(changed.length - mostNamed)} more` : ""}`;
  };
  return html`<h2>Versions</h2><ol class="versions">${versions.map((version) => {
    const { record_version: number, emitted_at } = version;
    const name =
      number === card.record_version
        ? html`Current`
        : html`<a href="${recordAddress(id, number)}">Version ${number}</a>`;
    return html`<li>${name} <span class="soft">${whenOf(emitted_at) ?? ""}</span> <span>${changes(version)}</span></li>`;
  })}</ol>${oldest?.changed === undefined || Number(oldest.record_version) < 2 ? "" : html`<p class="soft"><a href="${recordAddress(id, String(Number(oldest.record_version) - 1))}">Older versions</a></p>`}`;
}
