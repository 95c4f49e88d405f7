import { instantOf } from "@pdpp/contract/instant";
import type { AccessDocument } from "@pdpp/contract/owner";
import { html } from "hono/html";
import { operationWords } from "../agents/agents-page.ts";
import { addressWith } from "../frame/addresses.ts";
import { type Html, page } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import { atMinute, dayHeading } from "../frame/time-words.ts";
import { grouped, said } from "../frame/value-view.ts";

/** Who read what, who was refused, and what the owner did: a day as a heading, a line for each. */

export const kinds = ["read", "refusal", "act"] as const;
type Kind = (typeof kinds)[number];
const kindWords: Readonly<Record<Kind, string>> = { read: "Reads", refusal: "Refusals", act: "What you did" };

export interface ActivityView {
  readonly entries: readonly AccessDocument[];
  readonly next: number | null;
  readonly kind: Kind | undefined;
  readonly client: string | undefined;
  readonly isFirst: boolean;
  readonly names: Names;
  readonly proof: string;
}

type Narrowed = Pick<ActivityView, "kind" | "client">;
export const activityAddress = ({ kind, client }: Partial<Narrowed>, before?: number): string =>
  addressWith("/activity", { kind, client, before });

export function activityPage(view: ActivityView): Html {
  const { entries, next, kind, client } = view;
  const days = Map.groupBy(entries, ({ at }) => dayHeading(instantOf(at) ?? 0));
  const tab = (label: string, to: Kind | undefined) =>
    html`<a href="${activityAddress({ kind: to, client })}"${to === kind ? html` aria-current="true"` : ""}>${label}</a>`;
  return page(
    "Activity",
    html`<h1>What happened</h1>
<p class="tabs">${tab("Everything", undefined)}${kinds.map((each) => tab(kindWords[each], each))}</p>
${client === undefined ? "" : html`<ul class="chips"><li>${said(clientWords(client))} <a href="${activityAddress({ kind })}">remove<span class="hidden"> this filter</span></a></li></ul>`}
${entries.length === 0 ? html`<p>${next === null ? "Nothing here yet." : "Nothing in this part of the log."}</p>` : ""}
${[...days].map(([day, lines]) => html`<h2>${day}</h2><ul class="log">${lines.map((entry) => line(entry, view))}</ul>`)}
<p class="pages">${view.isFirst ? "" : html`<a href="${activityAddress({ kind, client })}">Newest</a>`}${next === null ? "" : html`<a rel="next" href="${activityAddress({ kind, client }, next)}">Older</a>`}</p>`,
    { owner: { room: "/activity", proof: view.proof } },
  );
}

/** Of a token that nobody gave no name is known. */
export const clientWords = (client: string): string => (client === "-" ? "Somebody unknown" : client);

function line(entry: AccessDocument, { names, kind }: ActivityView): Html {
  const at = instantOf(entry.at) ?? 0;
  const who =
    entry.kind === "act"
      ? html`${entry.operation === "log.gap" ? "The server" : "You"}`
      : html`<a href="${activityAddress({ kind, client: entry.client })}">${said(clientWords(entry.client))}</a>`;
  const times = entry.times === undefined ? "" : html` <span class="soft">${grouped(entry.times)} times</span>`;
  return html`<li class="${entry.kind}">${atMinute(at)}<span>${who} ${whatHappened(entry, names)}${times}</span></li>`;
}

/** Why somebody was refused, as the owner would say it. */
const refusals: Readonly<Record<string, string>> = {
  authentication_error: "its token is unknown here",
  grant_revoked: "you revoked its grant",
  package_revoked: "you revoked its grant",
  grant_expired: "its grant has ended",
  permission_error: "it may not do this",
  grant_stream_not_allowed: "this is not in its grant",
  field_not_granted: "this is not in its grant",
  insufficient_scope: "this is not in its grant",
  rate_limited: "it asked too often",
};

const acts: Readonly<Record<string, string>> = {
  "grant.create": "gave a grant",
  "connector.add": "taught the vault a kind of source",
  "owner.add": "added an owner",
  "owner.rename": "renamed an owner",
  "owner.remove": "removed an owner",
  "grant.revoke": "revoked a grant",
  "grant.narrow": "narrowed a grant",
  "connection.add": "added a source",
  "connection.remove": "removed a source",
  "owner-token.create": "made a token for a program of yours",
  "owner-token.revoke": "revoked a token",
  "records.delete": "deleted records",
  "records.prune": "removed earlier versions",
  "log.gap": "could not keep some entries of this log",
  "log.prune": "removed old entries of this log",
  ingest: "stored records",
  putBlob: "stored a file",
  deleteRecord: "deleted a record",
  deleteRecords: "deleted records",
};

function whatHappened(entry: AccessDocument, names: Names): Html {
  const { operation, stream, connection_ids: sources, records, code, outcome } = entry;
  const [source] = sources;
  const of =
    source === undefined
      ? ""
      : html` <span class="soft">${sources.length > 1 ? `${sources.length} sources` : said(names.source(source))}${stream === null ? "" : html` · ${said(names.stream(source, stream))}`}</span>`;
  if (entry.kind === "refusal" || (entry.kind === "read" && code !== undefined && entry.status >= 400))
    return html`<strong class="refused">was refused</strong>: ${refusals[code ?? ""] ?? code ?? "no reason was noted"}${of}`;
  const count =
    records === 0 ? "" : html` <span class="soft">· ${grouped(records)} ${records === 1 ? "record" : "records"}</span>`;
  const end = outcome === "cut" || outcome === "unfinished" ? html` <span class="soft">· ended early</span>` : "";
  const words = entry.kind === "act" ? (acts[operation] ?? operation) : (operationWords[operation] ?? operation);
  const subject =
    entry.kind === "act" && of === "" && entry.subject !== undefined
      ? html` <span class="soft">${said(entry.subject.slice(0, 200).toWellFormed())}</span>`
      : "";
  return html`${words}${of}${subject}${count}${end}`;
}
