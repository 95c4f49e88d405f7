import type { FileCount } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { addressWith } from "../frame/addresses.ts";
import { type Html, letterMark } from "../frame/frame.ts";
import { grouped, said, sizeText } from "../frame/value-view.ts";
import type { SettingsView } from "./settings-page.ts";

/** The sources, and how much room they take. */

const mostSources = 200;

export const fileWords = ({ count, bytes, is_whole }: FileCount): string =>
  count === 0 ? "None" : `${is_whole ? "" : "more than "}${grouped(count)} (${sizeText(bytes)})`;

const sourceSettings = (id: string): string => addressWith("/settings/source", { id });

export function storagePart({ storage, connections, names }: SettingsView): Html {
  const { database_bytes: bytes, files } = storage;
  const shown = connections.slice(0, mostSources);
  return html`<dl class="facts">
${bytes === null ? "" : html`<div><dt>Database</dt><dd>${sizeText(bytes)}</dd></div>`}
<div><dt>Files</dt><dd>${fileWords(files)}</dd></div></dl>
${
  shown.length === 0
    ? html`<p>No sources yet. <a href="/import">Import data</a></p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Sources"><table class="plain-table"><thead><tr><th scope="col">Source</th><th scope="col" class="number">Records</th></tr></thead>
<tbody>${shown.map(({ connection_id: id, record_count }) => html`<tr><th scope="row"><span class="named">${letterMark(names.source(id), "small")}<a href="${sourceSettings(id)}">${said(names.source(id))}</a></span></th><td class="number">${grouped(record_count)}</td></tr>`)}</tbody></table></div>
<p class="soft">Open a source to rename or delete it.${connections.length > shown.length ? ` ${grouped(connections.length - shown.length)} more not shown.` : ""}</p>`
}`;
}
