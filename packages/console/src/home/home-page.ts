import { html } from "hono/html";
import { activityAddress } from "../activity/activity-page.ts";
import { clientWords } from "../activity/activity-words.ts";
import { fromElsewhere, streamAddress } from "../frame/addresses.ts";
import { bars } from "../frame/chart.ts";
import { type Html, letterMark, page } from "../frame/frame.ts";
import type { Proof } from "../frame/proof.ts";
import { ago, monthOf, onDay } from "../frame/time-words.ts";
import { counted, grouped, labelList, said, sizeText } from "../frame/value-view.ts";
import type { UnreadItems } from "./unread-items.ts";

/** The vault at a glance: what is in it, who read of it, and what wants looking at. */

export interface HomeSource {
  readonly id: string;
  /** Its largest stream. */
  readonly stream: string | undefined;
  readonly label: string;
  readonly records: number;
  /** Its months are being counted. */
  readonly isCounting: boolean;
  /** Instants of its oldest and newest record, by their own time. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** When something was last stored, and when an export was last brought in. */
  readonly stored: number | undefined;
  readonly imported: number | undefined;
  readonly months: readonly { readonly label: string; readonly count: number }[];
}

export interface HomeReader {
  readonly client: string;
  readonly week: { readonly reads: number; readonly records: number };
  readonly month: { readonly reads: number; readonly records: number };
}

export type Attention =
  | { readonly about: "grant"; readonly client: string; readonly id: string; readonly until: number }
  | ({ readonly about: "import" } & UnreadItems)
  | { readonly about: "refusal"; readonly client: string; readonly at: number; readonly times: number };

export interface HomeView {
  readonly sources: readonly HomeSource[];
  readonly readers: readonly HomeReader[];
  readonly days: readonly { readonly label: string; readonly count: number }[];
  readonly attention: readonly Attention[];
  /** The room it takes. */
  readonly bytes: number;
  readonly proof: Proof;
  readonly now: number;
}

export function homePage(view: HomeView): Html {
  const { sources, proof } = view;
  const total = sources.reduce((sum, { records }) => sum + records, 0);
  return page(
    "Home",
    html`<h1>Your vault</h1>
${
  total === 0 && sources.length === 0
    ? beginnings()
    : html`<p class="soft">${totalWords(view, total)}</p>${attentionView(view)}${sourcesTable(view)}
<p class="bring"><a href="/import">Bring in an export</a>: mail, calendar, chats, photos, notes, a Takeout …</p>`
}
${readersView(view)}`,
    { owner: { room: "/", proof }, isWide: true },
  );
}

function totalWords({ sources, bytes }: HomeView, total: number): Html {
  const times = sources.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [from, to]));
  const years =
    times.length === 0
      ? ""
      : html`, ${new Date(Math.min(...times)).getUTCFullYear()} to ${new Date(Math.max(...times)).getUTCFullYear()}`;
  return html`${counted(total, "record")} from ${sources.length === 1 ? "one source" : `${sources.length} sources`}${years} · ${sizeText(bytes)}`;
}

const beginnings = (): Html => html`<p>There is nothing in it yet. Two ways to begin:</p>
<div class="two"><section class="card"><h2>Bring in an export</h2><p>A download of your mail, calendar, chats, photos or notes.</p><p><a class="button yes" href="/import">Drop an export here</a></p><p class="soft">You see what is in it before anything is stored. Where the files are on the computer that has the vault, <code>npx pdpp import FILE</code> does the same.</p></section>
<section class="card"><h2>Look around first</h2><p>A made-up household with mail, chats, a calendar and purchases, in a vault of its own:</p><p><code class="copy">npx pdpp serve --demo</code></p><p class="soft">Nothing of it gets into your vault.</p></section></div>`;

function attentionView({ attention, now }: HomeView): Html {
  if (attention.length === 0) return html``;
  return html`<section class="attention" aria-label="Needs attention"><ul>${attention.map((each) => {
    if (each.about === "grant")
      return html`<li>${said(each.client)} can read until ${onDay(each.until)}. <a href="/agents/${each.id}">Look at it</a></li>`;
    if (each.about === "import")
      return html`<li>${counted(each.items, "item")} of ${labelList(each.labels)} could not be read, ${ago(each.at, now)}. <a href="/import/${each.id}#aside">See which</a></li>`;
    return html`<li>${said(clientWords(each.client))} was refused${each.times > 1 ? html` ${grouped(each.times)} times` : ""}, last ${ago(each.at, now)}. <a href="${activityAddress({ kind: "refusal", client: each.client })}">See why</a></li>`;
  })}</ul></section>`;
}

function sourcesTable({ sources, now }: HomeView): Html {
  const row = ({ id, stream, label, records, isCounting, from, to, stored, imported, months }: HomeSource) => html`<tr>
<th scope="row"><span class="named">${letterMark(label)}${stream === undefined ? said(label) : html`<a href="${fromElsewhere(streamAddress(id, stream))}">${said(label)}</a>`}</span></th>
<td class="bars">${isCounting ? html`<span class="soft">counting; look again in a moment</span>` : months.length === 0 ? "" : bars(`Records per month of ${label.slice(0, 80).toWellFormed()}, the last two years`, months, { width: 168, height: 28, gap: 1.5 })}</td>
<td class="number" data-label="Records">${grouped(records)}</td>
<td data-label="From">${from === undefined || to === undefined ? "" : html`${monthOf(from)} – ${monthOf(to)}`}</td>
<td data-label="Stored">${stored === undefined ? html`<span class="soft">nothing yet</span>` : ago(stored, now)}${imported === undefined ? "" : html`<small class="beneath">import ${ago(imported, now)}</small>`}</td></tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Sources"><table class="sources"><thead><tr><th scope="col">Source</th><th scope="col">Records per month, last two years</th><th scope="col" class="number">Records</th><th scope="col">From – to</th><th scope="col">Last stored</th></tr></thead><tbody>${sources.map(row)}</tbody></table></div>`;
}

function readersView({ readers, days }: HomeView): Html {
  if (readers.length === 0)
    return html`<h2>What agents read</h2><p>Nothing in the last 30 days. <a href="/agents">Let an agent in</a></p>`;
  const cells = ({ reads, records }: HomeReader["week"]) =>
    html`<td class="number">${grouped(reads)}</td><td class="number">${grouped(records)}</td>`;
  return html`<h2>What agents read, last 30 days</h2>
<p>${bars("Records that agents read each day, the last 30 days", days, { width: 480, height: 64, gap: 3 })}</p>
<p class="ends soft"><span>${days[0]?.label ?? ""}</span><span>today</span></p>
<div class="scroll" tabindex="0" role="region" aria-label="What agents read"><table class="readers"><thead><tr><th scope="col">Agent</th><th scope="col" class="number">Reads, 7 days</th><th scope="col" class="number">Records</th><th scope="col" class="number">Reads, 30 days</th><th scope="col" class="number">Records</th></tr></thead>
<tbody>${readers.map((reader) => html`<tr><th scope="row"><a href="${activityAddress({ client: reader.client })}">${said(reader.client)}</a></th>${cells(reader.week)}${cells(reader.month)}</tr>`)}</tbody></table></div>`;
}
