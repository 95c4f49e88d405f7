import type { ConnectionDetail, FileCount } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { addressWith, streamAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, proofField } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import type { Span } from "../frame/span.ts";
import { monthOf } from "../frame/time-words.ts";
import { counted, grouped, said } from "../frame/value-view.ts";
import { fileWords } from "./storage-part.ts";

/** One source: its name, and the way out of the vault. */

export interface SourceView {
  readonly source: ConnectionDetail;
  readonly files: FileCount;
  readonly span: Span;
  /** Who can read something of it now. */
  readonly agents: readonly { readonly id: string; readonly client: string }[];
  readonly names: Names;
  readonly proof: Proof;
  /** The name that was typed was not its name. */
  readonly isMistyped: boolean;
}

const around = ({ proof }: SourceView) => ({ owner: { room: "/settings", proof } }) as const;
const deletion = (id: string): string => addressWith("/settings/delete-source", { id });

export function sourcePage(view: SourceView): Html {
  const { source, names, proof } = view;
  const { connection_id: id, connector_key } = source;
  const label = names.source(id);
  return page(
    label,
    html`<p class="back"><a href="/settings#sources">Settings</a></p>
<div class="title">${letterMark(label)}<h1>${said(label)}</h1></div>
${facts(view)}
<h2>Rename</h2>
<form method="post" action="/settings/rename-source">${proofField(proof)}<input type="hidden" name="id" value="${id}">
<div class="line"><label>Name<input type="text" name="name" value="${label}" required maxlength="200" autocomplete="off" dir="auto"></label><button>Save</button></div></form>
<h2>Delete</h2>
<p>Deletes all its records, with their history and files. You can review what will be deleted first.</p>
<p><a class="button danger" href="${deletion(id)}">Delete this source …</a></p>
<details><summary>Technical details</summary><dl><div><dt>ID</dt><dd><code>${id}</code></dd></div><div><dt>Source type</dt><dd><code>${connector_key}</code></dd></div></dl></details>`,
    around(view),
  );
}

function facts({ source, names, files, span }: SourceView): Html {
  const { connection_id: id, streams, record_count } = source;
  const held = streams.filter(({ record_count }) => record_count > 0);
  return html`<dl class="facts"><div><dt>Records</dt><dd>${grouped(record_count)}${span.from === undefined || span.to === undefined ? "" : `, ${monthOf(span.from)} – ${monthOf(span.to)}`}</dd></div>
${held.length < 2 ? "" : held.map(({ name, record_count: count }) => html`<div><dt>${said(names.stream(id, name))}</dt><dd><a href="${streamAddress(id, name)}">${grouped(count)}</a></dd></div>`)}
<div><dt>Files</dt><dd>${fileWords(files)}</dd></div></dl>`;
}

/** What goes, what stays, and the name typed: only then. */
export function deleteSourcePage(view: SourceView): Html {
  const { source, names, agents, proof, isMistyped } = view;
  const { connection_id: id, record_count } = source;
  const label = names.source(id);
  return page(
    `Delete ${label}`,
    html`<p class="back"><a href="${addressWith("/settings/source", { id })}">${said(label)}</a></p>
<h1>Delete ${said(label)}?</h1>
<h2>What will be deleted</h2>
${facts(view)}
<p>Their earlier versions, search index entries and files not used by other sources are deleted too.</p>
${agents.length === 0 ? "" : html`<p>${agents.length === 1 ? "One agent" : `${grouped(agents.length)} agents`} will lose access to this data: ${agents.slice(0, mostNamed).map(({ id: agent, client }, i) => html`${i === 0 ? "" : ", "}<a href="/agents/${agent}">${said(client)}</a>`)}${agents.length > mostNamed ? " …" : ""}.</p>`}
<h2>What is kept</h2>
<ul><li>The activity log.</li><li>A history of who had access.</li><li>Data agents have already read.</li><li>Backups you made.</li></ul>
<form class="typed" method="post" action="/settings/delete-source">${proofField(proof)}<input type="hidden" name="id" value="${id}">
${typedField("name", html`Type the source's name, <strong>${said(label)}</strong>`, isMistyped, "That doesn't match the name.")}
<div class="buttons"><button class="danger">Delete ${counted(record_count, "record")} </button><a class="button" href="/settings#sources">Cancel</a></div></form>
<p class="soft">This can't be undone.</p>`,
    around(view),
  );
}

const mostNamed = 20;

export const typedField = (name: string, label: Html, isMistyped: boolean, fault: string): Html =>
  html`<p><label for="${name}">${label}</label><br><input type="text" id="${name}" name="${name}" required autocomplete="off" autocapitalize="off" spellcheck="false" dir="auto"${isMistyped ? html` aria-invalid="true" aria-describedby="${name}-fault"` : ""}>${isMistyped ? html`<br><strong class="fault" id="${name}-fault" role="alert">${fault}</strong>` : ""}</p>`;
