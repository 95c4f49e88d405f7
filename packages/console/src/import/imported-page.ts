import type { JsonObject } from "@pdpp/contract/declaration";
import type { AsideDocument, ImportDocument } from "@pdpp/contract/imports";
import { instantOf } from "@pdpp/contract/instant";
import { html } from "hono/html";
import { addressWith, streamAddress } from "../frame/addresses.ts";
import { type Html, page } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { ago, onDay } from "../frame/time-words.ts";
import { counted, grouped, said, sizeText } from "../frame/value-view.ts";
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
<h1>${isOver ? "What came in" : "What came in so far"}</h1>
<p class="soft">Begun ${ago(instantOf(found.started_at) ?? 0, now)}${isOver ? "" : html` · <span class="refused">not finished: bring the same files in again to go on</span>`}</p>
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
  ["skipped", "Left out"],
  ["aside", "Put aside"],
] as const;

function partView(part: Part, names: Names): Html {
  const { connection_id: source, label, tally } = part;
  const streams = Object.entries(tally.streams);
  const columns = counts.filter(([of]) => of === "stored" || streams.some(([, each]) => each[of] > 0));
  const rows = streams.map(
    ([stream, each]) =>
      html`<tr><th scope="row"><a href="${streamAddress(source, stream)}">${said(names.stream(source, stream))}</a></th>${columns.map(([of]) => html`<td class="number">${grouped(each[of])}</td>`)}</tr>`,
  );
  return html`<section class="part"><h2>${said(label)}</h2><p class="soft">into ${said(names.source(source))}${tally.blobs === 0 ? "" : html` · ${counted(tally.blobs, "file")} stored`}</p>
${rows.length === 0 ? html`<p>Nothing yet.</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label="Records"><table class="tally"><thead><tr><th scope="col">What</th>${columns.map(([, name]) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`}
${sourceView(part)}</section>`;
}

function sourceView({ sources, fingerprint, format, importer_version, exported_at, answers }: Part): Html {
  const more = sources.length - shownFiles;
  const line = (name: string, value: Html | string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<details><summary>Where it came from</summary><dl>
${line("Files", html`${sources.slice(0, shownFiles).map(({ path, size_bytes }) => html`${said(path.slice(0, 300).toWellFormed())} <span class="soft">${sizeText(size_bytes)}</span><br>`)}${more > 0 ? html`<span class="soft">and ${more >= 90 ? "many" : more} more</span>` : ""}`)}
${line("Exported", onDay(instantOf(exported_at) ?? 0))}
${line("Read as", html`${format}, importer ${importer_version}`)}
${line("Digest", html`<code>${fingerprint}</code>`)}
${answersOf(answers).map(([name, value]) => line(name, said(value)))}</dl></details>`;
}

const answerNames: Readonly<Record<string, string>> = {
  time_zone: "Time zone",
  date_order: "Order of dates",
  me: "Your name in it",
  attachments: "Bytes of files",
  only: "Only",
};

function answersOf(answers: JsonObject): [string, string][] {
  return Object.entries(answers).flatMap(([key, value]): [string, string][] => {
    const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (isNone) return [];
    const text = key === "attachments" ? (value === true ? "brought in" : "left out") : [value].flat().join(", ");
    return [[answerNames[key] ?? key, text.slice(0, 300).toWellFormed()]];
  });
}

const leftView = ({ left }: ImportedView): Html =>
  left === undefined || left.notUnderstoodCount === 0
    ? html``
    : html`<h2 id="left">Not understood, and left out: ${grouped(left.notUnderstoodCount)}</h2>${fileList(left)}`;

function asideView({ found, aside, left, isFirst }: ImportedView): Html {
  const total = found.parts
    .flatMap(({ tally }) => Object.values(tally.streams))
    .reduce((sum, each) => sum + each.aside, 0);
  const all = left?.notUnderstoodCount === 0 ? "everything" : "all of what was understood";
  if (total === 0) return html`<h2 id="aside">Put aside</h2><p>Nothing: ${all} could be read.</p>`;
  const item = ({
    kind,
    stream,
    path,
    offset,
    reason,
    code,
    beginning,
  }: AsideDocument): Html => html`<li><p>${said(sentence(reason).slice(0, 500))} <code>${code}</code></p>
<p class="soft">${kind === "record" ? html`A record of ${said(stream)}` : html`${said(path.slice(0, 300).toWellFormed())}, at byte ${grouped(offset)}`}</p>${beginning === "" ? "" : html`<details><summary>Its beginning</summary><pre dir="auto">${beginning}</pre></details>`}</li>`;
  const to = (after?: string) => `${addressWith(`/import/${found.import_id}`, { after })}#aside`;
  return html`<h2 id="aside">Put aside: ${grouped(total)}</h2><p class="soft">These could not be read. The other items of their files came in.</p>
<ol class="aside">${aside.items.map(item)}</ol>
<p class="pages">${isFirst ? "" : html`<a href="${to()}">From the first</a>`}${aside.next === null ? "" : html`<a rel="next" href="${to(aside.next)}">More</a>`}</p>`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
