import type { SearchList, SearchResult } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { addressWith, recordAddress, streamAddress, textAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import { grouped, passage, said, whenOf } from "../frame/value-view.ts";

import { type Told, toldView } from "./told.ts";

/** One box over everything, and what it found. */

export interface Question {
  readonly q: string;
  readonly source: string | undefined;
  readonly stream: string | undefined;
  readonly since: string | undefined;
  readonly until: string | undefined;
}

interface Shown {
  readonly question: Question;
  readonly names: Names;
  readonly proof: string;
  readonly worn: Worn | undefined;
  readonly now: number;
}

export interface FoundView extends Shown {
  readonly found: SearchList;
  readonly isFirst: boolean;
  /** What an agent gets for the same question. */
  readonly told: Told | undefined;
}

const exploreAddress = (question: Partial<Question>, cursor?: string): string =>
  addressWith("explore", { ...question, cursor });

const around = ({ proof, worn, question }: Shown) =>
  ({ owner: { room: "/explore", proof, worn, q: question.q }, isWide: true }) as const;

export function foundPage(view: FoundView): Html {
  const { question, found, names } = view;
  const next = found.next_cursor;
  return page(
    question.q,
    html`<div class="beside"><div>
<h1>${said(question.q)}</h1>
<p class="soft">${countWords(found)}${view.isFirst ? "" : html` · <a href="${exploreAddress(question)}">from the beginning</a>`}</p>
${found.meta.warnings.map(({ message }) => html`<p class="soft note">${message}</p>`)}
${
  found.data.length === 0
    ? html`<p>Nothing ${view.isFirst ? "has these words" : "more"}. Try fewer words, a beginning such as <code>boil*</code>, or <a href="${exploreAddress({ q: question.q })}">every source and time</a>.</p>`
    : html`<ol class="hits">${found.data.map((hit) => hitView(hit, names))}</ol>`
}
${next === undefined ? "" : html`<p class="pages"><a rel="next" href="${exploreAddress(question, next)}">More</a></p>`}
${toldView(view.told)}
</div>${filters(view)}</div>`,
    around(view),
  );
}

function countWords({ meta: { count, count_accuracy, match } }: SearchList): string {
  const about = count_accuracy === "exact" ? "" : "at least ";
  const records = (n: number) => `${grouped(n)} ${n === 1 ? "record" : "records"}`;
  if (match.all > 0 && match.all < count)
    return `${about}${records(count)}: ${grouped(match.all)} with every word, ${grouped(count - match.all)} with some`;
  return `${about}${records(count)}`;
}

function hitView(hit: SearchResult, names: Names): Html {
  const { id, connection_id: source, stream, title, evidence } = hit;
  const when = whenOf(hit.event_time);
  return html`<li>
<p class="from">${letterMark(names.source(source), "small")}${said(names.source(source))} · ${said(names.stream(source, stream))}${when === undefined ? "" : html` · ${when}`}</p>
<h2><a href="${recordAddress(id)}">${said(title)}</a></h2>
${evidence.slice(0, 3).map(passage)}
<p class="soft">${evidence
    .slice(0, 1)
    .map(({ field_path: field, window }) =>
      window === undefined
        ? ""
        : html`${said(names.field(source, stream, field))} · ${grouped(window.start_chars)}–${grouped(window.end_chars)} of ${grouped(window.total_chars)}${window.total_chars > window.end_chars || window.start_chars > 0 ? html` · <a href="${textAddress({ id, field, offset: Math.max(0, window.start_chars - 400) })}">Read on<span class="hidden"> in ${title.slice(0, 80).toWellFormed()}</span></a>` : ""}`,
    )}</p></li>`;
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

function filters({ question, names, now }: Shown): Html {
  const { source, stream } = question;
  const link = (label: string, changed: Partial<Question>, isHere: boolean) =>
    html`<li><a href="${exploreAddress({ ...question, ...changed })}"${isHere ? html` aria-current="true"` : ""}>${said(label)}</a></li>`;
  const streams = names.sources.find(({ id }) => id === source)?.streams ?? [];
  const thisYear = new Date(now).getUTCFullYear();
  const times = [
    { label: "Any time", since: undefined, until: undefined },
    { label: "Last 30 days", since: day(now - 30 * 86_400_000), until: undefined },
    ...[0, 1, 2].map((back) => ({
      label: String(thisYear - back),
      since: `${thisYear - back}-01-01`,
      until: `${thisYear - back + 1}-01-01`,
    })),
  ];
  return html`<aside aria-label="Narrow down"><h2>Source</h2><ul>
${link("Every source", { source: undefined, stream: undefined }, source === undefined)}
${names.sources.slice(0, 60).map(({ id, label }) => link(label, { source: id, stream: undefined }, source === id && stream === undefined))}</ul>
${streams.length < 2 ? "" : html`<h2>Kind</h2><ul>${streams.slice(0, 60).map(({ name, label }) => link(label, { stream: name }, stream === name))}</ul>`}
<h2>When</h2><ul>${times.map(({ label, since, until }) => link(label, { since, until }, since === question.since && until === question.until))}</ul>
<form class="dates" action="explore"><input type="hidden" name="q" value="${question.q}">
${source === undefined ? "" : html`<input type="hidden" name="source" value="${source}">`}${stream === undefined ? "" : html`<input type="hidden" name="stream" value="${stream}">`}
<label>From <input type="date" name="since" value="${question.since ?? ""}"></label><label>Before <input type="date" name="until" value="${question.until ?? ""}"></label><button>Narrow</button></form></aside>`;
}

export interface BrowseView extends Shown {
  readonly counts: ReadonlyMap<string, number>;
}

/** Nothing asked yet: all that is there, by source. */
export function browsePage(view: BrowseView): Html {
  const { names, counts } = view;
  return page(
    "Explore",
    html`<h1>${view.worn === undefined ? "Everything in your vault" : "What it can read"}</h1>
<p class="soft">Search with words or a question; <code>"a phrase"</code>, <code>boil*</code> for beginnings, <code>-without</code>. Or look through a source.</p>
${
  names.sources.length === 0
    ? html`<p>There is nothing here yet. <a href="/">Begin on the first page</a>.</p>`
    : html`<ul class="rows">${names.sources.map(
        ({ id, label, streams }) => html`<li>${letterMark(label)}<div class="about"><h2>${said(label)}</h2>
<p>${streams.flatMap(({ name, label: kind }, i) => {
          const count = counts.get(`${id}/${name}`);
          return count === undefined
            ? []
            : html`${i === 0 ? "" : " · "}<a href="${streamAddress(id, name)}">${said(kind)}</a> <span class="soft">${grouped(count)}</span>`;
        })}</p></div></li>`,
      )}</ul>`
}`,
    around(view),
  );
}
