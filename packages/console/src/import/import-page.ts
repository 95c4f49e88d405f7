import type { ImportSummary } from "@pdpp/contract/imports";
import { instantOf } from "@pdpp/contract/instant";
import { html } from "hono/html";
import { addressWith } from "../frame/addresses.ts";
import { type Html, importScriptPath, page, proofField } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { ago } from "../frame/time-words.ts";
import { grouped, labelList, sizeText } from "../frame/value-view.ts";

/** Where an export is dropped, and what came before. */

export interface ImportView {
  /** Where exports are taken; none where the server was started without. */
  readonly place:
    | {
        readonly mostBytes: number;
        readonly disk: "open" | "elsewhere" | "shared";
        readonly underWay: { readonly id: string; readonly isWaiting: boolean } | undefined;
      }
    | undefined;
  readonly history: { readonly imports: readonly ImportSummary[]; readonly next: string | null };
  readonly isFirst: boolean;
  readonly proof: Proof;
  readonly now: number;
}

export const importPage = (view: ImportView): Html =>
  page(
    "Import",
    html`<h1>Bring in an export</h1>
<p>A download of your mail, calendar, chats, photos, notes or bank: a file, an archive, or the parts of one. You see what is in it before anything is written.</p>
${beginning(view)}
${historyView(view)}`,
    { owner: { room: "/import", proof: view.proof }, isWide: true, scripts: [importScriptPath] },
  );

function beginning({ place, proof }: ImportView): Html {
  if (place === undefined)
    return html`<section class="card"><h2>On the computer that has the vault</h2><p>This server takes no files. There, this says what is in an export and asks before it writes:</p><p><code class="copy">npx pdpp import FILE</code></p></section>`;
  if (place.underWay !== undefined) return underWayView(place.underWay, proof);
  return html`<form class="drop" method="post" action="/import/upload" enctype="multipart/form-data" data-upload data-most="${place.mostBytes}">${proofField(proof)}
<label for="files"><strong>Drop an export here</strong><span>or choose its files, up to ${sizeText(place.mostBytes)} together</span></label>
<input type="file" id="files" name="files" multiple required>
<div class="buttons"><button class="yes">Look at it</button></div>
<progress hidden max="1" value="0" aria-label="Sent"></progress><p role="status" class="soft"></p></form>
${diskPart(place.disk, proof)}`;
}

/** Only one is under way at a time: whoever wants to bring in something else can be rid of a plan here. */
function underWayView({ id, isWaiting }: { readonly id: string; readonly isWaiting: boolean }, proof: Proof): Html {
  const look = html`<a href="/import/${id}">Look at it</a>`;
  if (!isWaiting) return html`<p class="done" role="status">An import is under way. ${look}</p>`;
  return html`<form class="done line" method="post" action="/import/${id}/cancel">${proofField(proof)}<input type="hidden" name="from" value="list">
<span role="status">An import is under way: its plan waits for your answer, and nothing is written yet. ${look}</span> <button>Discard it</button></form>`;
}

function diskPart(disk: "open" | "elsewhere" | "shared", proof: Proof): Html {
  if (disk === "open")
    return html`<form class="line path" method="post" action="/import/path">${proofField(proof)}
<label>Or name a file or folder on this computer, which need not be sent <input type="text" name="path" required maxlength="4000" size="44" placeholder="~/Downloads/takeout.zip" autocapitalize="off" autocomplete="off" spellcheck="false"></label><button>Look at it</button></form>`;
  const why =
    disk === "shared"
      ? "Several people have data in this vault, so files of the server's own disk cannot be named here."
      : "This server can be reached from elsewhere, so files of its own disk cannot be named here, unless it is started with --import-paths.";
  return html`<p class="soft">${why} What is large or lies there already: <code>npx pdpp import FILE</code></p>`;
}

function historyView({ history: { imports, next }, isFirst, now }: ImportView): Html {
  if (imports.length === 0)
    return html`<h2>What came before</h2><p>Nothing yet.</p><p class="soft"><code>npx pdpp import --formats</code> lists what can be brought in.</p>`;
  const row = (each: ImportSummary): Html => html`<tr>
<th scope="row"><a href="/import/${each.import_id}">${labelList(each.labels, each.parts)}</a>${each.finished_at === null ? html` <span class="here">not finished</span>` : ""}</th>
<td data-label="When">${ago(instantOf(each.started_at) ?? 0, now)}</td>
<td class="number" data-label="New">${grouped(each.stored)}<span class="unit"> new</span></td><td class="number" data-label="Changed">${grouped(each.changed)}<span class="unit"> changed</span></td>
<td class="number" data-label="Put aside">${each.aside === 0 ? html`0` : html`<a href="/import/${each.import_id}#aside">${grouped(each.aside)}</a>`}<span class="unit"> put aside</span></td></tr>`;
  return html`<h2>What came before</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Imports"><table class="imports"><thead><tr><th scope="col">What</th><th scope="col">When</th><th scope="col" class="number">New</th><th scope="col" class="number">Changed</th><th scope="col" class="number">Put aside</th></tr></thead><tbody>${imports.map(row)}</tbody></table></div>
<p class="pages">${isFirst ? "" : html`<a href="/import">Newest</a>`}${next === null ? "" : html`<a rel="next" href="${addressWith("/import", { before: next })}">Older</a>`}</p>`;
}
