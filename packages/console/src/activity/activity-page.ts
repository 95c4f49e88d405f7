import { parseInstant } from "@pdpp/contract/instant";
import { type AccessDocument, type LogOutcome, logOutcomes } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { addressWith } from "../frame/addresses.ts";
import { type Html, liveLogScriptPath, page } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { atMinute, dayHeading } from "../frame/time-words.ts";
import { grouped, said } from "../frame/value-view.ts";
import { clientWords, whatHappened } from "./activity-words.ts";

/** Who read what, who was refused, and what the owner did: a day as a heading, a line for each. */

export const kinds = ["read", "refusal", "act"] as const;
type Kind = (typeof kinds)[number];
const kindWords: Readonly<Record<Kind, string>> = { read: "Reads", refusal: "Refusals", act: "Your actions" };
const outcomeWords: Readonly<Record<LogOutcome, string>> = {
  answered: "answered",
  refused: "refused",
  early: "cut short",
  running: "in progress",
};

/** What the log is narrowed to. It stands in the address. */
export interface Narrowed {
  readonly kind: Kind | undefined;
  readonly client: string | undefined;
  readonly source: string | undefined;
  readonly outcome: LogOutcome | undefined;
}

export interface ActivityView {
  readonly entries: readonly AccessDocument[];
  readonly next: number | null;
  readonly narrowed: Narrowed;
  readonly isFirst: boolean;
  /** The newest entry that this page knows of; what comes after it is new. */
  readonly newest: number;
  readonly clients: readonly string[];
  readonly names: Names;
  readonly proof: Proof;
}

export const activityAddress = (
  { kind, client, source, outcome }: Partial<Narrowed>,
  place: { readonly before?: number; readonly after?: number } = {},
): string => addressWith("/activity", { kind, client, source, outcome, ...place });

export function activityPage(view: ActivityView): Html {
  const { entries, next, narrowed, isFirst, newest } = view;
  const days = Map.groupBy(entries, ({ at }) => dayHeading(parseInstant(at) ?? 0));
  const tab = (label: string, kind: Kind | undefined) =>
    html`<a href="${activityAddress({ ...narrowed, kind })}"${kind === narrowed.kind ? html` aria-current="true"` : ""}>${label}</a>`;
  return page(
    "Activity",
    html`<h1>Activity</h1>
<p class="tabs">${tab("All", undefined)}${kinds.map((each) => tab(kindWords[each], each))}</p>
${filters(view)}
<p class="soft live"><a href="${activityAddress(narrowed)}">Newest</a> <span role="status" data-live="${isFirst ? activityAddress(narrowed, { after: newest }) : ""}"></span></p>
<div data-log>${[...days].map(([day, lines]) => html`<h2>${day}</h2><ul class="log">${lines.map((entry) => line(entry, view))}</ul>`)}</div>
${entries.length === 0 ? html`<p data-nothing>${next === null ? "No activity yet." : "No matches in this part of the log."}</p>` : ""}
<p class="pages">${next === null ? "" : html`<a rel="next" href="${activityAddress(narrowed, { before: next })}">Older</a>`}</p>`,
    { owner: { room: "/activity", proof: view.proof }, scripts: [liveLogScriptPath] },
  );
}

function filters({ narrowed, clients, names }: ActivityView): Html {
  const { kind, client, source, outcome } = narrowed;
  // What the address asks for can be chosen again, also when nobody has that name any more.
  const agents = client === undefined || clients.includes(client) ? clients : [client, ...clients];
  const option = (value: string, label: string, chosen: string | undefined) =>
    html`<option value="${value}"${value === chosen ? html` selected` : ""}>${label}</option>`;
  const isNarrowed = client !== undefined || source !== undefined || outcome !== undefined;
  return html`<form class="line narrow" action="/activity">${kind === undefined ? "" : html`<input type="hidden" name="kind" value="${kind}">`}
<label>Agent<select name="client"><option value="">All agents</option>${agents.map((each) => option(each, clientWords(each).slice(0, 80).toWellFormed(), client))}</select></label>
<label>Source<select name="source"><option value="">All sources</option>${names.sources.map(({ id, label }) => option(id, label, source))}</select></label>
<label>Outcome<select name="outcome"><option value="">Any</option>${logOutcomes.map((each) => option(each, outcomeWords[each], outcome))}</select></label>
<button>Apply</button>${isNarrowed ? html`<a href="${activityAddress({ kind })}">Clear filters</a>` : ""}</form>`;
}

function line(entry: AccessDocument, { names, narrowed }: ActivityView): Html {
  const { request_id: request, outcome } = entry;
  const who =
    entry.kind === "act"
      ? html`${entry.operation === "log.gap" ? "The server" : "You"}`
      : html`<a href="${activityAddress({ ...narrowed, client: entry.client })}">${said(clientWords(entry.client))}</a>`;
  const times = entry.times === undefined ? "" : html` <span class="soft">${grouped(entry.times)} times</span>`;
  return html`<li class="${entry.kind}" data-entry="${entry.entry}"${request === "-" ? "" : html` data-request="${request}"`}${outcome === "running" ? html` data-running` : ""}>${atMinute(parseInstant(entry.at) ?? 0)}<span>${who} ${whatHappened(entry, names)}${times}</span></li>`;
}
