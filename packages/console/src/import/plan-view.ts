import type { ImportPlan, PlanQuestion, PlanTarget } from "@pdpp/contract/import-service";
import { humanize } from "@pdpp/server/consent/labels";
import { html } from "hono/html";
import { type Html, proofField } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { counted, grouped, labelList, said } from "../frame/value-view.ts";
import { cut, fileList } from "./not-understood.ts";
import { groupsOf, type PlanGroup } from "./plan-groups.ts";

/** What an import would bring, with what must be known for it: the dry run of the command, as a form. */

export interface PlanView {
  readonly id: string;
  readonly plan: ImportPlan;
  readonly fault: string | undefined;
  readonly names: Names;
  readonly proof: Proof;
}

export function planView({ id, plan, fault, names, proof }: PlanView): Html {
  if (plan.partCount === 0)
    return html`<p class="attention" role="alert">Nothing here can be imported.</p><p>Nothing was saved, and the upload was deleted.</p>${leftView(plan)}<p><a class="button" href="/import">Choose other files</a></p>`;
  const dontForm = html`<form id="dont" method="post" action="/import/${id}/cancel">${proofField(proof)}</form>`;
  // Of several sources none is taken by a guess: then that is a question like the others.
  const [open, usual] = [plan.targets.filter(isOpen), plan.targets.filter((target) => !isOpen(target))];
  const asked = [...plan.questions.map(questionField), ...open.map(targetField)];
  return html`<p>Nothing has been saved yet.</p>
${fault === undefined ? "" : html`<p class="attention" role="alert">${said(fault)}</p>`}
${dontForm}<form class="plan" method="post" action="/import/${id}/answer">${proofField(proof)}
${asked.length === 0 ? "" : html`<h2>Questions</h2>${asked}<h2>Contents</h2>`}
${partsTable(plan)}
${plan.absent.map(({ connection_id, stream, records }) => html`<p class="soft">${grouped(records)} of ${said(names.stream(connection_id, stream))} in ${said(names.source(connection_id))} ${records === 1 ? "isn't in this export and will be kept." : "aren't in this export and will be kept."}</p>`)}
${leftView(plan)}
${usual.length === 0 ? "" : html`<h2>Destination</h2>${usual.map(targetField)}`}
<label class="tick"><input type="checkbox" name="without_attachments" value="1"><span>Skip attachments (names only)<small>Faster and much smaller.</small></span></label>
<div class="buttons decide"><button form="dont">Cancel</button><button class="yes">${pressWords(plan)}</button></div></form>`;
}

const isOpen = ({ connections }: PlanTarget): boolean => connections.length > 1;

/** What the press does: of what is all here nothing new comes, unless it was changed. */
function pressWords({ parts, partCount, targets }: ImportPlan): string {
  const sum = (of: "records" | "already_here"): number =>
    parts.flatMap(({ streams }) => streams).reduce((total, each) => total + each[of], 0);
  const total = sum("records");
  const isAllShown = partCount === parts.length;
  // Where several sources could get it, the plan looked into one of them.
  const isPlain = isAllShown && targets.every(({ connections }) => connections.length === 1);
  if (!isPlain || total === 0 || sum("already_here") < total)
    return `Import ${isAllShown ? counted(total, "record") : `more than ${grouped(total)} records`}`;
  return `Update ${counted(total, "existing record")}`;
}

/** Of formats; a page has room for so many. */
const shownGroups = 100;

function partsTable({ parts, partCount }: ImportPlan): Html {
  const groups = groupsOf(parts).slice(0, shownGroups);
  const more = groups.reduce((left, { labels }) => left - labels.length, partCount);
  const hasHere = parts.some(({ streams }) => streams.some(({ already_here }) => already_here > 0));
  const here = (count: number): Html | string => (hasHere ? html`<td class="number">${grouped(count)}</td>` : "");
  const rows = groups.map((group) => {
    const name = html`<th scope="rowgroup" colspan="${hasHere ? 4 : 3}">${groupName(group)}</th>`;
    return html`<tbody><tr>${name}</tr>${group.streams.map((each) => html`<tr><th scope="row">${humanize(each.stream)}</th><td class="number">${grouped(each.records)}</td><td>${span(each.from, each.to)}</td>${here(each.already_here)}</tr>`)}
${group.aside === 0 ? "" : html`<tr><th scope="row" class="refused">Rejected (unreadable)</th><td class="number refused">${grouped(group.aside)}</td><td></td>${hasHere ? html`<td></td>` : ""}</tr>`}</tbody>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Import contents"><table class="tally"><thead><tr><th scope="col">Data</th><th scope="col" class="number">Records</th><th scope="col">Period</th>${hasHere ? html`<th scope="col" class="number">Already imported</th>` : ""}</tr></thead>${rows}</table></div>
${more > 0 ? html`<p class="soft">and ${grouped(more)} more</p>` : ""}`;
}

function groupName({ title, labels, files, firstFile }: PlanGroup): Html {
  if (labels.length > 1) return html`${title}<br><span class="soft">${labelList(labels)}</span>`;
  const [label = title] = labels;
  return html`${said(cut(label))}${label === title ? "" : html` <span class="soft">${title}</span>`}<br><span class="soft">${said(cut(firstFile))}${files > 1 ? ` and ${counted(files - 1, "more file")}` : ""}</span>`;
}

function span(from: string | null, to: string | null): Html {
  if (from === null || to === null) return html``;
  const day = (text: string): Html => html`<span class="on">${text}</span>`;
  return from === to ? day(from) : html`${day(from)} to ${day(to)}`;
}

function leftView(plan: ImportPlan): Html {
  const { partCount, notUnderstoodCount: count, mayHaveTables } = plan;
  if (count === 0) return html``;
  const tables = mayHaveTables
    ? html`<p class="soft">For an unrecognized table, <code>npx pdpp import FILE --infer</code> proposes a mapping file. Upload the table together with that file.</p>`
    : "";
  return html`<details${partCount === 0 ? html` open` : ""}><summary>${count === 1 ? "1 unrecognized file will be skipped" : `${grouped(count)} unrecognized files will be skipped`}</summary>${fileList(plan)}${tables}</details>`;
}

const orderWords: Readonly<Record<string, string>> = {
  dmy: "day, month, year",
  mdy: "month, day, year",
  ymd: "year, month, day",
};

function questionField({ key, text, choices, usual, isRemembered }: PlanQuestion): Html {
  const asked = html`${said(text)}${isRemembered ? html` <span class="soft">Same as last time.</span>` : ""}`;
  if (key === "time_zone") return zoneField(asked, isRemembered, usual);
  const label = html`<p class="ask"><label for="ask-${key}">${asked}</label><br>`;
  if (choices === undefined)
    return html`${label}<input type="text" id="ask-${key}" name="${key}" value="${usual ?? ""}" maxlength="200"${usual === undefined ? html` required` : ""}></p>`;
  const option = (choice: string): Html =>
    html`<option value="${choice}"${choice === usual ? html` selected` : ""}>${orderWords[choice] ?? cut(choice)}</option>`;
  const none =
    usual === undefined
      ? html`<option value="">Choose</option>`
      : usual === ""
        ? html`<option value="" selected>None of these</option>`
        : "";
  return html`${label}<select id="ask-${key}" name="${key}"${usual === undefined ? html` required` : ""}>${none}${choices.map(option)}</select></p>`;
}

const zones: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

/** The server's own zone is as good a guess as any; a script puts the browser's in its place, unless it was answered before. */
function zoneField(asked: Html, isRemembered = false, usual = Intl.DateTimeFormat().resolvedOptions().timeZone): Html {
  const all = zones.includes(usual) ? zones : [usual, ...zones];
  return html`<p class="ask"><label for="ask-time_zone">${asked}</label><br><select id="ask-time_zone" name="time_zone"${isRemembered ? "" : html` data-zone`} required>${all.map((zone) => html`<option${zone === usual ? html` selected` : ""}>${zone}</option>`)}</select></p>`;
}

function targetField({ key, title, connections }: PlanTarget): Html {
  const name = html`<input type="text" id="label-${key}" name="label ${key}" value="${connections.length === 0 ? title : ""}" maxlength="120" autocomplete="off"${connections.length === 0 ? html` required` : ""}>`;
  const hidden = html`<input type="hidden" name="target" value="${key}">`;
  if (connections.length === 0)
    return html`<p class="ask">${hidden}<label for="label-${key}">Source name (${title})</label><br>${name}</p>`;
  const isOne = connections.length === 1;
  return html`<p class="ask">${hidden}<label for="into-${key}">Import ${title} into</label><br><select id="into-${key}" name="into ${key}">${isOne ? "" : html`<option value="" selected>Choose, or name a new source</option>`}${connections.map(({ id, label }) => html`<option value="${id}"${isOne ? html` selected` : ""}>${cut(label)}</option>`)}${isOne ? html`<option value="">New source</option>` : ""}</select>
<span class="soft"><label for="label-${key}">New source name</label> ${name}</span></p>`;
}
