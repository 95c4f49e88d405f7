import type { ImportProgress, ImportState } from "@pdpp/contract/import-service";
import { html } from "hono/html";
import { type Html, importScriptPath, page, proofField } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { counted, grouped, said, sizeText } from "../frame/value-view.ts";
import { planView } from "./plan-view.ts";

/** An import that is under way, stage by stage; and one that ended without bringing everything in. */

export interface RunView {
  readonly id: string;
  readonly state: Exclude<ImportState, { stage: "done" }>;
  readonly names: Names;
  readonly proof: Proof;
}

const titles = {
  looking: "Reading files",
  planned: "Review import",
  storing: "Importing",
  failed: "Import failed",
  cancelled: "Import cancelled",
} as const;

/** Without scripts the page comes again by itself, as long as something goes on. */
const againSeconds = 2;

export function runPage(view: RunView): Html {
  const { state, proof } = view;
  const title = state.stage === "planned" && state.plan.partCount === 0 ? "Nothing to import" : titles[state.stage];
  const isMoving = state.stage === "looking" || state.stage === "storing";
  return page(
    title,
    html`<p class="from">${said(state.about)}</p><h1>${title}</h1>
<div data-stage="${state.stage}"${isMoving ? html` data-live` : ""}>${stageView(view)}</div>`,
    {
      owner: { room: "/import", proof },
      scripts: [importScriptPath],
      isWide: state.stage === "planned",
      ...(isMoving ? { again: againSeconds } : {}),
    },
  );
}

function stageView(view: RunView): Html {
  const { state } = view;
  if (state.stage === "looking")
    return html`<p><progress aria-label="Reading files"></progress></p>
<p>Nothing has been saved yet. ${state.bytes === 0 ? "Opening the files." : `${sizeText(state.bytes)} read.`}</p>${endForm(view, "Cancel")}`;
  if (state.stage === "planned") return planView({ ...view, plan: state.plan, fault: state.fault });
  if (state.stage === "storing")
    return html`${progressView(state.progress)}
<p class="soft">You can close this page; the import continues. If you stop it, the records imported so far are kept. To continue, import the same files again.</p>${endForm(view, "Stop")}`;
  if (state.stage === "cancelled")
    return html`<p>${state.isBegun ? "The records imported so far were kept. To continue, import the same files again." : "Nothing was saved, and the upload was deleted."}</p>${back}`;
  return html`<p class="attention" role="alert">${state.words}</p>
<p>${state.isBegun ? "The records imported so far were kept. To continue, import the same files again." : "Nothing was saved, and the upload was deleted."}</p>${back}`;
}

const back = html`<p><a href="/import">Import data</a></p>`;

function progressView({ records, plannedRecords: expected, done, secondsLeft }: ImportProgress): Html {
  const left = secondsLeft === undefined ? "" : `, ${timeLeft(secondsLeft)}`;
  return html`<p><progress max="1" value="${done.toFixed(4)}" aria-label="Import progress"></progress></p>
<p>${expected === 0 ? "Starting." : `${grouped(records)} of ${counted(Math.max(records, expected), "record")}${left}`}</p>`;
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(1, seconds)} s left`;
  return seconds < 5400
    ? `about ${Math.round(seconds / 60)} minutes left`
    : `about ${Math.round(seconds / 3600)} hours left`;
}

const endForm = ({ id, proof }: Pick<RunView, "id" | "proof">, words: string): Html =>
  html`<form method="post" action="/import/${id}/cancel">${proofField(proof)}<div class="buttons"><button>${words}</button></div></form>`;
