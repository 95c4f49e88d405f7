import type { EvidenceCard, FieldPresentation, FieldWindow, SingleCard } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { recordAddress, streamAddress, textAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, readOnScriptPath, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import { fieldView, grouped, said, whenOf } from "../frame/value-view.ts";

import { type Told, toldView } from "./told.ts";

/** One record: what it says first, then every field by its part, then what belongs to it. */

export interface RecordView {
  readonly card: SingleCard;
  /** The beginnings of its long texts, by field. */
  readonly texts: ReadonlyMap<string, FieldWindow>;
  /** Fields that the card has no room for. */
  readonly omitted: readonly string[];
  readonly told: Told | undefined;
  readonly names: Names;
  readonly proof: string;
  readonly worn: Worn | undefined;
}

const around = ({ proof, worn }: { readonly proof: string; readonly worn: Worn | undefined }) =>
  ({ owner: { room: "/explore", proof, worn }, isWide: false }) as const;

export function recordPage(view: RecordView): Html {
  const { card, texts, names } = view;
  const { connection_id: source, stream } = card;
  const all = [...Object.values(card.slots).flat(), ...card.fields].filter((field) => field !== undefined);
  const body = all.filter(({ field_path }) => texts.has(field_path));
  const repeated = all.filter((field) => field.shown === "inline" && field.repeats === true);
  const others = all.filter((field) => !body.includes(field) && !isEmpty(field) && !repeated.includes(field));
  const row = (field: FieldPresentation) =>
    html`<div><dt>${said(names.field(source, stream, field.field_path))}</dt><dd>${fieldView(card.id, field, card.record_version)}</dd></div>`;
  const empty = all.filter(isEmpty);
  return page(
    card.title,
    html`${recordHead(card, names)}
${body.map((field) => bodyView(card, field, texts.get(field.field_path), names))}
<h2 class="hidden">Its fields</h2>
<dl class="fields">${others.map(row)}
${view.omitted.map((name) => html`<div><dt>${said(names.field(source, stream, name))}</dt><dd><a href="${textAddress({ id: card.id, field: name, version: card.record_version })}">Show</a></dd></div>`)}</dl>
${empty.length === 0 ? "" : html`<p class="soft">Empty: ${empty.map(({ field_path }, i) => html`${i === 0 ? "" : ", "}${said(names.field(source, stream, field_path))}`)}</p>`}
${relatedView(card, names)}
${versionsView(card)}
<details><summary>More about it</summary><dl>${repeated.map(row)}<div><dt>Handle</dt><dd><code>${card.id}</code></dd></div><div><dt>Version</dt><dd>${card.record_version}</dd></div><div><dt>Stored</dt><dd>${whenOf(card.emitted_at) ?? ""}</dd></div></dl></details>
${toldView(view.told)}`,
    around(view),
  );
}

const isEmpty = (field: FieldPresentation): boolean =>
  field.shown === "inline" && (field.value === null || field.value === "");

interface Headed {
  readonly id: string;
  readonly title: string;
  readonly connection_id: string;
  readonly stream: string;
  readonly event_time?: string | number | undefined;
}

function recordHead({ title, connection_id: source, stream, event_time }: Headed, names: Names): Html {
  const when = whenOf(event_time);
  return html`<p class="from">${letterMark(names.source(source), "small")}<a href="${streamAddress(source, stream)}">${said(names.source(source))} · ${said(names.stream(source, stream))}</a>${when === undefined ? "" : html` · ${when}`}</p>
<h1>${said(title)}</h1>`;
}

function bodyView(card: EvidenceCard, field: FieldPresentation, window: FieldWindow | undefined, names: Names): Html {
  if (window === undefined) return html``;
  const { text, end_chars, total_chars } = window.window;
  const { id, record_version: version } = card;
  return html`<section class="text"><h2 class="label">${said(names.field(card.connection_id, card.stream, field.field_path))}</h2>
<div class="prose" dir="auto">${text}</div>
${end_chars < total_chars ? html`<p class="pages"><a rel="next" href="${textAddress({ id, field: field.field_path, offset: end_chars, version })}">Read on</a> <span class="soft">${grouped(end_chars)} of ${grouped(total_chars)} characters</span></p>` : ""}</section>`;
}

function relatedView(card: SingleCard, names: Names): Html {
  const groups = Object.entries(card.expanded ?? {}).flatMap(([name, related]) => {
    if (related === null) return [];
    const items = related.object === "list" ? related.data : [related];
    const cards = items.filter((item): item is EvidenceCard => item.object === "evidence_card");
    return cards.length === 0 ? [] : [{ name, cards, hasMore: related.object === "list" && related.has_more === true }];
  });
  if (groups.length === 0) return html``;
  return html`<h2>Belongs to it</h2>${groups.map(
    ({ name, cards, hasMore }) => html`<h3>${said(names.field("", "", inWordsOf(name)))}</h3><ul class="related">
${cards.map((one) => {
  const when = whenOf(one.event_time);
  return html`<li><a href="${recordAddress(one.id)}">${said(one.title)}</a>${when === undefined ? "" : html` <span class="soft">${when}</span>`}</li>`;
})}${hasMore ? html`<li class="soft">and more</li>` : ""}</ul>`,
  )}`;
}

const inWordsOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Versions that are listed one by one; before them there may be more. */
const mostVersions = 12;

function versionsView({ id, record_version: current }: EvidenceCard): Html {
  const newest = Number(current);
  if (!Number.isInteger(newest) || newest < 2) return html``;
  const earlier = Array.from({ length: Math.min(newest - 1, mostVersions) }, (_, i) => newest - 1 - i);
  return html`<h2>Earlier versions</h2><p>${earlier.map((version, i) => html`${i === 0 ? "" : " · "}<a href="${recordAddress(id, String(version))}">Version ${version}</a>`)}${newest - 1 > mostVersions ? html` <span class="soft">and older ones</span>` : ""}</p>`;
}

export interface EarlierField {
  readonly field: string;
  /** Its beginning; undefined where the version had no such field. */
  readonly window: FieldWindow | undefined;
  readonly isChanged: boolean;
}

export interface EarlierView {
  readonly card: Headed & { readonly record_version: string };
  readonly version: number;
  readonly fields: readonly EarlierField[];
  readonly names: Names;
  readonly proof: string;
  readonly worn: Worn | undefined;
}

/** A record as it was. */
export function earlierPage(view: EarlierView): Html {
  const { card, version, fields, names } = view;
  const changed = fields.filter(({ isChanged }) => isChanged).length;
  return page(
    `Version ${version} of ${card.title}`,
    html`${recordHead(card, names)}
<p class="done">This is version ${version} of ${card.record_version}. ${changed === 0 ? "" : `${changed === 1 ? "One field" : `${changed} fields`} changed in the next one. `}<a href="${recordAddress(card.id)}">The current version</a></p>
<dl class="fields">${fields.map(({ field, window, isChanged }) => {
      const name = names.field(card.connection_id, card.stream, field);
      const isLong = window !== undefined && window.window.end_chars < window.window.total_chars;
      return html`<div><dt>${said(name)}${isChanged ? html` <span class="here">changed</span>` : ""}</dt><dd>${window === undefined ? html`<span class="soft">none</span>` : html`<span class="long" dir="auto">${window.window.text}${isLong ? "…" : ""}</span>`}${isLong ? html` <a class="on" href="${textAddress({ id: card.id, field, version: String(version) })}">Read all ${grouped(window.window.total_chars)} characters</a>` : ""}</dd></div>`;
    })}</dl>`,
    around(view),
  );
}

export interface TextView {
  readonly id: string;
  readonly title: string;
  readonly window: FieldWindow;
  readonly isEarlier: boolean;
  readonly told: Told | undefined;
  readonly names: Names;
  readonly proof: string;
  readonly worn: Worn | undefined;
}

/** A long text, a window at a time. */
export function textPage(view: TextView): Html {
  const { id, title, window, isEarlier, names } = view;
  const { connection_id: source, stream, record_version: version, field } = window;
  const { text, start_chars: start, end_chars: end, total_chars: total } = window.window;
  const place = { id, field: field.path, version };
  const back = start === 0 ? "" : html`<a rel="prev" href="${textAddress({ ...place, end: start })}">Before this</a>`;
  const on = end >= total ? "" : html`<a rel="next" href="${textAddress({ ...place, offset: end })}">Read on</a>`;
  const name = names.field(source, stream, field.path.replace(/\{text\}$/, ""));
  return page(
    `${name}: ${title}`,
    html`<p class="back"><a href="${recordAddress(id, isEarlier ? version : undefined)}">${said(title)}</a></p>
<h1>${said(name)}</h1>
<p class="soft">${isEarlier ? `Version ${version}. ` : ""}Characters ${grouped(start)} to ${grouped(end)} of ${grouped(total)}${field.reduced ? ", taken out of HTML" : ""}</p>
${back === "" ? "" : html`<p class="pages">${back}</p>`}
<div class="prose" dir="auto" data-window>${text}</div>
<p class="pages" data-rest>${on === "" ? html`<span class="soft">This is the end.</span>` : on}</p>
${toldView(view.told)}`,
    { ...around(view), scripts: on === "" ? [] : [readOnScriptPath] },
  );
}
