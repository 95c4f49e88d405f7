import type { RecordVersion } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { recordAddress, textAddress } from "../frame/addresses.ts";
import { type Html, page, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { grouped, said, verbatim, whenOf } from "../frame/value-view.ts";
import type { Piece } from "./differences.ts";
import type { Change, EarlierField } from "./earlier.ts";
import { type Headed, recordFrame, recordHead } from "./record-page.ts";

/** A record as it was, with what the next version made of it. */

export interface EarlierView {
  readonly card: Headed & { readonly record_version: string };
  readonly version: number;
  readonly versions: readonly RecordVersion[];
  readonly fields: readonly EarlierField[];
  readonly names: Names;
  readonly proof: Proof;
  readonly worn: Worn | undefined;
}

export function earlierPage(view: EarlierView): Html {
  const { card, version, versions, fields, names } = view;
  const changed = fields.filter(({ change }) => change !== undefined).length;
  const stored = whenOf(versions.find(({ record_version }) => record_version === String(version))?.emitted_at);
  const beside = (step: 1 | -1) => {
    const listed = versions
      .map(({ record_version }) => Number(record_version))
      .filter((each) => (each - version) * step > 0);
    const near = step === 1 ? Math.min(...listed) : Math.max(...listed);
    return Number.isFinite(near) && String(near) !== card.record_version ? near : undefined;
  };
  const [older, newer] = [beside(-1), beside(1)];
  const row = ({ field, window, change }: EarlierField) =>
    html`<div><dt>${said(names.field(card.connection_id, card.stream, field))}${change === undefined ? "" : html` <span class="here">changed</span>`}</dt><dd>${change === undefined ? wholeView(view, field, window) : changeView(view, field, change, window !== undefined)}</dd></div>`;
  return page(
    `Version ${version} of ${card.title}`,
    html`${recordHead(card, names)}
<p class="done">Version ${version} of ${card.record_version}${stored === undefined ? "" : html`, stored ${stored}`}. ${changed === 0 ? "" : `The next version changed ${changed === 1 ? "one field" : `${changed} fields`}. `}<a href="${recordAddress(card.id)}">Current version</a></p>
<p class="pages">${older === undefined ? "" : html`<a rel="prev" href="${recordAddress(card.id, String(older))}">Version ${older}</a>`}${newer === undefined ? "" : html`<a rel="next" href="${recordAddress(card.id, String(newer))}">Version ${newer}</a>`}</p>
${changed === 0 ? "" : html`<p class="soft"><del>Struck through</del> was removed in the next version; <ins>underlined</ins> was added.</p>`}
<dl class="fields">${fields.filter(({ change }) => change !== undefined).map(row)}${fields.filter(({ change }) => change === undefined).map(row)}</dl>`,
    recordFrame(view),
  );
}

function wholeView({ card, version }: EarlierView, field: string, window: EarlierField["window"]): Html {
  if (window === undefined) return html`<span class="soft">none</span>`;
  const { text, end_chars, total_chars } = window.window;
  const isLong = end_chars < total_chars;
  return html`<span class="long" dir="auto">${verbatim(text)}${isLong ? "…" : ""}</span>${isLong ? html` <a class="on" href="${textAddress({ id: card.id, field, version: String(version) })}">Read all ${grouped(total_chars)} characters</a>` : ""}`;
}

function changeView({ card, version }: EarlierView, field: string, change: Change, hadIt: boolean): Html {
  const { pieces, start, goesOn } = change;
  const rest = textAddress({ id: card.id, field, version: String(version) });
  const isCut = start > 0 || goesOn || pieces.some(({ kind, text }) => text.length > longestOf(kind));
  return html`<span class="long" dir="auto">${start > 0 ? "… " : ""}${pieces.map((piece, i) => pieceView(piece, i === 0, i === pieces.length - 1))}${goesOn ? " …" : ""}</span>${isCut && hadIt ? html` <a class="on" href="${rest}">Read full text</a>` : ""}`;
}

/** Around a change so much is shown of what stayed, and so much of the change itself. */
const [sameChars, changedChars] = [160, 3000];
const longestOf = (kind: Piece["kind"]): number => (kind === "same" ? 2 * sameChars : changedChars);

function pieceView({ kind, text }: Piece, isFirst: boolean, isLast: boolean): Html {
  if (kind !== "same") {
    const shown = text.length > longestOf(kind) ? `${text.slice(0, changedChars).toWellFormed()}…` : text;
    return kind === "gone" ? html`<del>${verbatim(shown)}</del>` : html`<ins>${verbatim(shown)}</ins>`;
  }
  if (text.length <= longestOf(kind)) return verbatim(text);
  const head = isFirst ? "" : text.slice(0, sameChars).toWellFormed();
  const tail = isLast ? "" : text.slice(-sameChars).toWellFormed();
  return html`${verbatim(head)} … ${verbatim(tail)}`;
}
