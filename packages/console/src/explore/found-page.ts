import type { HitDetail, MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import { findDetailPassage, listBodyPassages, listNeighbourMatches } from "@pdpp/evidence/cards/hit";
import { html } from "hono/html";
import { recordAddress, textAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { counted, eventTimeView, grouped, marked, passage, said, whenOf } from "../frame/value-view.ts";
import { narrowing } from "./narrowing.ts";
import { overTime } from "./over-time.ts";
import { asWords, atAnotherTime, exploreAddress, type Question } from "./question.ts";
import { type Other, othersView, searchNotes } from "./search-notes.ts";
import { tableAddress } from "./table-question.ts";
import { type Told, toldView } from "./told.ts";

/** What was found: where it lies in time, and the passages that show why. */

export interface Shown {
  readonly question: Question;
  readonly names: Names;
  readonly proof: Proof;
  readonly worn: Worn | undefined;
  readonly now: number;
}

export interface FoundView extends Shown {
  readonly found: SearchList;
  readonly isFirst: boolean;
  /** What an agent gets for the same question. */
  readonly told: Told | undefined;
  /** Agents that could be asked the same. */
  readonly others: readonly Other[];
}

export const searchFrame = ({ proof, worn, question }: Shown) =>
  ({ owner: { room: "/explore", proof, worn, q: question.asked ?? question.q }, isWide: true }) as const;

export function foundPage(view: FoundView): Html {
  const { question, found, names, worn } = view;
  const next = found.next_cursor;
  const title = question.asked ?? question.q;
  const { spread } = found.meta;
  return page(
    title,
    html`<div class="found${view.told === undefined ? "" : " both"}"><div class="hits-column">
<h1>${said(title)}</h1>
<p class="soft">${countWords(found)}${view.isFirst ? "" : html` · <a href="${exploreAddress(question)}">First page</a>`}${othersView(view.others, question)}</p>
${understoodView(question)}
${searchNotes(found)}
${spread === undefined ? "" : overTime(question, spread, found.meta.count)}
${
  found.data.length === 0
    ? nothing(view)
    : html`<ol class="hits">${found.data.map((hit) => hitView(hit, names, worn))}</ol>`
}
${next === undefined ? "" : html`<p class="pages"><a rel="next" href="${exploreAddress(question, next)}">More</a></p>`}
</div>${toldView(view.told)}${narrowing(view, spread)}</div>`,
    searchFrame(view),
  );
}

const nothing = ({ question, isFirst }: FoundView): Html =>
  question.asked === undefined
    ? html`<p>No ${isFirst ? "" : "more "}results. Try fewer words, a prefix such as <code>boil*</code>, or <a href="${exploreAddress({ q: question.q, time: question.time })}">all sources and dates</a>.</p>`
    : html`<p>No results in that period. <a href="${asWords(question)}">Search all dates for the exact words</a>.</p>`;

function countWords({ meta: { count, count_accuracy, match } }: SearchList): string {
  const about = count_accuracy === "exact" ? "" : "at least ";
  if (match.all === 0 || match.all >= count) return `${about}${counted(count, "record")}`;
  const some = count - match.all;
  return `${about}${counted(match.all, "full match", "full matches")}, ${grouped(some)} partial`;
}

/** A time that was understood, and the way back to the words. */
function understoodView(question: Question): Html {
  const { asked, since, until } = question;
  if (asked === undefined) return html``;
  const [from, to] = [whenOf(since?.slice(0, 10)), whenOf(until?.slice(0, 10))];
  return html`<p class="done" role="status">Limited to dates ${from === undefined ? "" : html`from ${from}`}${from !== undefined && to !== undefined ? " " : ""}${to === undefined ? "" : html`before ${to}`}. <a href="${asWords(question)}">Search the exact words</a> <a href="${atAnotherTime(question, undefined, undefined)}">Clear dates</a></p>`;
}

function hitView(hit: SearchResult, names: Names, worn: Worn | undefined): Html {
  const { id, connection_id: source, stream, title, title_match: match, details = [] } = hit;
  const when = eventTimeView(hit);
  const passages = listBodyPassages(hit).slice(0, 3);
  return html`<li>
<p class="from">${letterMark(names.source(source), "small")}${said(names.source(source))} · ${said(names.stream(source, stream))}${when === undefined ? "" : html` · ${when}`}</p>
<h2><a href="${recordAddress(id)}">${match === undefined ? said(title) : html`<bdi>${marked({ preview: title, ...match })}</bdi>`}</a></h2>
${details.length === 0 ? "" : html`<p class="soft">${details.map((detail, i) => html`${i === 0 ? "" : " · "}${detailView(detail, hit, names)}`)}</p>`}
${passages.map(passage)}
${replyView(hit)}
<p class="soft">${passageWords(hit, passages, names)}${besideWords(hit)}${similarWords(hit)}</p>${worn === undefined ? "" : agentLinks(hit, passages[0])}</li>`;
}

function detailView(detail: HitDetail, hit: SearchResult, names: Names): Html {
  const { field_path, value, unit, truncated } = detail;
  const passage = findDetailPassage(hit, detail);
  const shown =
    passage === undefined
      ? said(Array.isArray(value) ? value.join(", ") : String(value))
      : html`<bdi>${marked(passage)}</bdi>`;
  return html`${said(names.field(hit.connection_id, hit.stream, field_path))}: ${shown}${unit === undefined ? "" : html` ${said(String(unit))}`}${truncated ? " …" : ""}`;
}

function passageWords(
  { id, connection_id: source, stream, title }: SearchResult,
  passages: readonly MatchEvidence[],
  names: Names,
): Html {
  const [first] = passages;
  if (first?.window === undefined) return html``;
  const { field_path: field, window } = first;
  const inField = passages.filter(({ field_path }) => field_path === field).length;
  const where = inField > 1 ? `${inField} passages` : `${grouped(window.start_chars)}–${grouped(window.end_chars)}`;
  const isWhole = window.start_chars === 0 && window.end_chars >= window.total_chars;
  const label = said(names.field(source, stream, field));
  if (isWhole) return html`${label}`;
  return html`${label} · ${where} of ${grouped(window.total_chars)} · <a class="go" href="${textAddress({ id, field, offset: Math.max(0, window.start_chars - 400) })}">Continue reading<span class="hidden"> in ${said(title.slice(0, 80).toWellFormed())}</span></a>`;
}

/** How the next turn of the conversation answers the hit. */
function replyView({ reply }: SearchResult): Html {
  if (reply === undefined) return html``;
  const [actor] = reply.details;
  const who = actor === undefined ? "" : html` by ${said(String(actor.value))}`;
  return html`<p class="soft" dir="auto"><a href="${recordAddress(reply.id)}">Reply</a>${who}: ${said(reply.preview)}${reply.truncated ? " …" : ""}</p>`;
}

/** Records that look the same, listed by what they have in common. */
function similarWords({ similar, connection_id: source, stream }: SearchResult): Html {
  if (similar?.read.operation !== "queryRecords") return html``;
  const filters = Object.entries(similar.read.arguments.filter ?? {}).flatMap(([field, value]) =>
    typeof value === "object" ? [] : [{ field, operator: "is" as const, value: String(value) }],
  );
  const table = { source, stream, filters, columns: [], order: undefined, total: undefined, by: undefined };
  return html` · <a href="${tableAddress(table)}">${grouped(similar.count)} more like this</a>`;
}

const besideWords = (hit: SearchResult): Html =>
  html`${listNeighbourMatches(hit)
    .slice(0, 2)
    .map(
      ({ words, id }) =>
        html` · ${words.map(said)} matched in <a href="${recordAddress(id)}">a neighbouring message</a>`,
    )}`;

/** Where the very words stand that an agent gets when it goes on from a hit. */
const agentLinks = ({ id }: SearchResult, first: MatchEvidence | undefined): Html =>
  html`<p class="soft">What the agent receives: <a href="${recordAddress(id)}#told">the record<span class="hidden"> ${said(id)}</span></a>${
    first?.window === undefined
      ? ""
      : html` · <a href="${textAddress({ id, field: first.field_path, offset: first.window.start_chars })}#told">this passage<span class="hidden"> of ${said(id)}</span></a>`
  }</p>`;
