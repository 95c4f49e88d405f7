import type { JsonObject } from "@pdpp/contract/declaration";
import type { AsideDocument, ImportDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import { html } from "hono/html";
import { addressWith, streamAddress } from "../frame/addresses.ts";
import { type Html, page } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { ago, onDay } from "../frame/time-words.ts";
import { counted, grouped, said, sizeText } from "../frame/value-view.ts";
import { asSentence } from "../frame/words.ts";
import { fileList, type NotUnderstood } from "./not-understood.ts";

/** What came of an import: the report, where it came from, and what was put aside, with the reasons. */

export interface ImportedView {
  readonly found: ImportDocument;
  readonly aside: { readonly items: readonly AsideDocument[]; readonly next: string | null };
  /** Files of it that were not understood; undefined where that is not known. */
  readonly left: NotUnderstood | undefined;
  readonly isFirst: boolean;
  readonly names: Names;
  readonly proof: Proof;
  readonly now: number;
}

type Part = ImportDocument["parts"][number];

const shownParts = 50;
const shownFiles = 10;

export function importedPage(view: ImportedView): Html {
  const { found, proof, now } = view;
  const more = found.parts.length - shownParts;
  const isOver = found.finished_at !== null;
  return page(
    "Import",
    html`<p class="back"><a href="/import">All imports</a></p>
<h1>${isOver ? "Import report" : "Import report (unfinished)"}</h1>
<p class="soft">Started ${ago(parseInstant(found.started_at) ?? 0, now)}${isOver ? "" : html` · <span class="refused">unfinished: import the same files again to continue</span>`}</p>
${found.parts.slice(0, shownParts).map((part) => partView(part, view.names))}
${more > 0 ? html`<p class="soft">and ${counted(more, "more part")}</p>` : ""}
${asideView(view)}
${leftView(view)}
<p class="soft">Import <code>${found.import_id}</code></p>`,
    { owner: { room: "/import", proof }, isWide: true },
  );
}

/** What became of records; of these only what happened is a column. */
const counts = [
  ["stored", "New"],
  ["changed", "Changed"],
  ["unchanged", "Unchanged"],
  ["skipped", "Skipped"],
  ["aside", "Rejected"],
] as const;

function partView(part: Part, names: Names): Html {
  const { connection_id: source, label, tally } = part;
  const streams = Object.entries(tally.streams);
  const columns = counts.filter(([of]) => of === "stored" || streams.some(([, each]) => each[of] > 0));
  const rows = streams.map(
    ([stream, each]) =>
      html`<tr><th scope="row"><a href="${streamAddress(source, stream)}">${said(names.stream(source, stream))}</a></th>${columns.map(([of]) => html`<td class="number">${grouped(each[of])}</td>`)}</tr>`,
  );
  return html`<section class="part"><h2>${said(label)}</h2><p class="soft">into ${said(names.source(source))}${tally.blobs === 0 ? "" : html` · ${counted(tally.blobs, "file")} saved`}</p>
${rows.length === 0 ? html`<p>No records yet.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Records"><table class="tally"><thead><tr><th scope="col">Data</th>${columns.map(([, name]) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`}
${sourceView(part)}</section>`;
}

function sourceView({ sources, fingerprint, format, importer_version, exported_at, answers }: Part): Html {
  const more = sources.length - shownFiles;
  const line = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<details><summary>Import details</summary><dl>
${line("Files", html`${sources.slice(0, shownFiles).map(({ path, size_bytes }) => html`${said(path.slice(0, 300).toWellFormed())} <span class="soft">${sizeText(size_bytes)}</span><br>`)}${more > 0 ? html`<span class="soft">and ${more >= 90 ? "many" : more} more</span>` : ""}`)}
${line("Exported", onDay(parseInstant(exported_at) ?? 0))}
${line("Format", html`${format}, importer ${importer_version}`)}
${line("Fingerprint", html`<code>${fingerprint}</code>`)}
${answersOf(answers).map(([name, value]) => line(name, said(value)))}</dl></details>`;
}

const answerNames: Readonly<Record<string, string>> = {
  time_zone: "Time zone",
  date_order: "Date format",
  me: "Your name in the export",
  attachments: "Attachments",
  only: "Streams",
};

function answersOf(answers: JsonObject): [string, string][] {
  return Object.entries(answers).flatMap(([key, value]): [string, string][] => {
    const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (isNone) return [];
    const text = key === "attachments" ? (value === true ? "imported" : "skipped") : [value].flat().join(", ");
    return [[answerNames[key] ?? key, text.slice(0, 300).toWellFormed()]];
  });
}

const leftView = ({ left }: ImportedView): Html =>
  left === undefined || left.notUnderstoodCount === 0
    ? html``
    : html`<h2 id="left">Unrecognized files: ${grouped(left.notUnderstoodCount)}</h2>${fileList(left)}`;

function asideView({ found, aside, left, isFirst }: ImportedView): Html {
  const total = found.parts
    .flatMap(({ tally }) => Object.values(tally.streams))
    .reduce((sum, each) => sum + each.aside, 0);
  const all = left?.notUnderstoodCount === 0 ? "Everything was imported." : "All recognized items were imported.";
  if (total === 0) return html`<h2 id="aside">Rejected items</h2><p>None. ${all}</p>`;
  const item = ({
    kind,
    stream,
    path,
    offset,
    reason,
    code,
    beginning,
  }: AsideDocument): Html => html`<li><p>${said(asSentence(reason).slice(0, 500))} <code>${code}</code></p>
<p class="soft">${kind === "record" ? html`A record in ${said(stream)}` : html`${said(path.slice(0, 300).toWellFormed())}, at byte ${grouped(offset)}`}</p>${beginning === "" ? "" : html`<details><summary>Excerpt</summary><pre dir="auto">${beginning}</pre></details>`}</li>`;
  const to = (after?: string) => `${addressWith(`/import/${found.import_id}`, { after })}#aside`;
  return html`<h2 id="aside">Rejected items: ${grouped(total)}</h2><p class="soft">These couldn't be read. Everything else in their files was imported.</p>
<ol class="aside">${aside.items.map(item)}</ol>
<p class="pages">${isFirst ? "" : html`<a href="${to()}">First page</a>`}${aside.next === null ? "" : html`<a rel="next" href="${to(aside.next)}">More</a>`}</p>`;
}
