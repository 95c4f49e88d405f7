import type { AccessDocument } from "@pdpp/contract/owner";
import type { HitDetail, MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import {
  findDetailPassage,
  listBodyPassages,
  listNeighbourMatches,
  listUntitledDetails,
} from "@pdpp/evidence/cards/hit";
import { getRecordUrl, getTextUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { writeMarkedTitle } from "../../frame/render/own-titles.ts";
import { joinHtml, renderDone } from "../../frame/render/parts.tsx";
import {
  formatCount,
  formatNumber,
  renderMarked,
  renderPassage,
  renderRecordTime,
  renderText,
  renderWhen,
} from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { describeAction } from "../../settings/confirmations.ts";
import { getOpenUrl } from "../../views/kind-views.ts";
import { renderSaveForm } from "../saved/save-form.tsx";
import { getTableUrl } from "../stream/table-question.ts";
import { renderToolOutput, type ToolOutput } from "../tool-output.tsx";
import { renderFilters } from "./filters.tsx";
import { renderOverTime } from "./over-time.tsx";
import { findReadingPlace } from "./reading-place.ts";
import { type OtherAgent, renderOtherAgents, renderSearchNotes } from "./search-notes.tsx";
import { getExactWordsUrl, getSearchUrl, getSearchUrlWithDates, type SearchQuestion } from "./search-question.ts";

/** Search results: hits over time, with the passages that matched. */

export interface SearchContext {
  readonly question: SearchQuestion;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  readonly now: number;
  /** The owner's latest change of saved searches, from the log. */
  readonly lastAction: AccessDocument | undefined;
}

export interface ResultsView extends SearchContext {
  readonly found: SearchList;
  readonly isFirst: boolean;
  /** The tool output an agent gets for the same question. */
  readonly toolOutput: ToolOutput | undefined;
  /** Agents that the owner can view the search as. */
  readonly others: readonly OtherAgent[];
}

export const buildSearchPageOptions = ({ viewer, impersonatedGrant, question }: SearchContext) =>
  ({ owner: { room: "/explore", viewer, impersonatedGrant, q: question.asked ?? question.q }, isWide: true }) as const;

export function renderResultsPage(view: ResultsView): Html {
  const { question, found } = view;
  const next = found.next_cursor;
  const title = question.asked ?? question.q;
  const { spread } = found.meta;
  return renderPage(
    title,
    <div
      class={`found${view.toolOutput === undefined ? "" : " both"}`}
      data-searched={view.impersonatedGrant === undefined && view.isFirst ? title : undefined}
    >
      <div class="hits-column">
        <h1>{renderText(title)}</h1>
        <p class="soft">
          {formatResultCount(found)}
          {!view.isFirst && (
            <>
              {" "}
              · <a href={getSearchUrl(question)}>First page</a>
            </>
          )}
          {renderOtherAgents(view.others, question)}
        </p>
        {view.lastAction !== undefined && renderDone(describeAction(view.lastAction))}
        {found.data.length > 1 && renderOrderLinks(view)}
        {view.isFirst && renderSaveForm(view)}
        {renderDateNotice(question)}
        {renderSearchNotes(found, question)}
        {spread !== undefined && renderOverTime(question, spread, found.meta.count)}
        {found.data.length === 0 ? (
          renderNoResults(view)
        ) : (
          <ol class="hits">{found.data.map((hit) => renderHit(hit, view))}</ol>
        )}
        {next !== undefined && (
          <p class="pages">
            <a rel="next" href={getSearchUrl(question, next)}>
              {question.order === "date" ? "Next best matches, newest first" : "More"}
            </a>
          </p>
        )}
      </div>
      {renderToolOutput(view.toolOutput)}
      {renderFilters(view, spread)}
    </div>,
    buildSearchPageOptions(view),
  );
}

const renderNoResults = ({ question, isFirst }: ResultsView): Html =>
  question.asked === undefined ? (
    <p>
      No {!isFirst && "more "}results. Try fewer words, a prefix such as <code>boil*</code>, or{" "}
      <a href={getSearchUrl({ q: question.q, time: question.time })}>all sources and dates</a>.
    </p>
  ) : (
    <p>
      No results in that period. <a href={getExactWordsUrl(question)}>Search all dates for the exact words</a>.
    </p>
  );

function formatResultCount({ meta: { count, count_accuracy, match } }: SearchList): string {
  const about = count_accuracy === "exact" ? "" : "at least ";
  if (match.all === 0 || match.all >= count) return `${about}${formatCount(count, "record")}`;
  const some = count - match.all;
  return `${about}${formatCount(match.all, "full match", "full matches")}, ${formatNumber(some)} partial`;
}

/** By relevance over all results; by date only over those that were read for it, and the page says so. */
function renderOrderLinks({ question, found, isFirst }: ResultsView): Html {
  const { order } = question;
  const shown = formatNumber(found.data.length);
  if (!isFirst) return order === "date" ? <p class="soft">The next {shown} best matches, newest first.</p> : <></>;
  return (
    <p class="order">
      <span class="soft">Order:</span>{" "}
      <a href={getSearchUrl({ ...question, order: undefined })} aria-current={order === undefined ? "true" : undefined}>
        Best match
      </a>{" "}
      <a href={getSearchUrl({ ...question, order: "date" })} aria-current={order === "date" ? "true" : undefined}>
        Newest first
      </a>
      {order === "date" && found.next_cursor !== undefined && (
        <span class="soft">
          {" "}
          Newest first among the {shown} best matches. The others are on the{" "}
          <a href={getSearchUrl(question, found.next_cursor)}>next page</a>; to see all of a month in order, choose it
          below.
        </span>
      )}
    </p>
  );
}

/** Says which dates were extracted from the query, with a link to undo it. */
function renderDateNotice(question: SearchQuestion): Html {
  const { asked, since, until } = question;
  if (asked === undefined) return <></>;
  const [from, to] = [renderWhen(since?.slice(0, 10)), renderWhen(until?.slice(0, 10))];
  return (
    <p class="done" role="status">
      Limited to dates {from !== undefined && <>from {from}</>}
      {from !== undefined && to !== undefined && " "}
      {to !== undefined && <>before {to}</>}. <a href={getExactWordsUrl(question)}>Search the exact words</a>{" "}
      <a href={getSearchUrlWithDates(question, undefined, undefined)}>Clear dates</a>
    </p>
  );
}

function renderHit(hit: SearchResult, { names, impersonatedGrant, question: { q } }: ResultsView): Html {
  const { connection_id: source, stream } = hit;
  const { title, match } = writeMarkedTitle(names, hit);
  const details = listUntitledDetails(hit);
  const when = renderRecordTime(hit);
  const passages = listBodyPassages(hit).slice(0, 3);
  return (
    <li>
      <p class="from">
        {renderLetterMark(names.mark(source), "small")}
        {renderText(names.place(source, stream))}
        {when !== undefined && <> · {when}</>}
      </p>
      <h2>
        <a href={getOpenUrl(names, hit, q)}>
          {match === undefined ? renderText(title) : <bdi>{renderMarked({ preview: title, ...match })}</bdi>}
        </a>
      </h2>
      {details.length > 0 && (
        <p class="soft">{joinHtml(details, " · ", (detail) => renderDetail(detail, hit, names))}</p>
      )}
      {passages.map(renderPassage)}
      {renderReply(hit)}
      <p class="soft">
        {renderPassageNote(hit, passages, names)}
        {renderNeighborMatches(hit)}
        {renderSimilarLink(hit)}
      </p>
      {impersonatedGrant !== undefined && renderToolLinks(hit, passages[0])}
    </li>
  );
}

function renderDetail(detail: HitDetail, hit: SearchResult, names: Names): Html {
  const { field_path, value, unit, truncated } = detail;
  const passage = findDetailPassage(hit, detail);
  const shown =
    passage === undefined ? (
      renderText(Array.isArray(value) ? value.join(", ") : String(value))
    ) : (
      <bdi>{renderMarked(passage)}</bdi>
    );
  return (
    <>
      {renderText(names.field(hit.connection_id, hit.stream, field_path))}: {shown}
      {unit !== undefined && <> {renderText(String(unit))}</>}
      {truncated ? " …" : ""}
    </>
  );
}

function renderPassageNote(
  { id, connection_id: source, stream, title }: SearchResult,
  passages: readonly MatchEvidence[],
  names: Names,
): Html {
  const [first] = passages;
  if (first?.window === undefined) return <></>;
  const { field_path: field, window } = first;
  const inField = passages.filter(({ field_path }) => field_path === field).length;
  const where =
    inField > 1
      ? `${inField} passages`
      : `characters ${formatNumber(window.start_chars + 1)}–${formatNumber(window.end_chars)}`;
  const isWhole = window.start_chars === 0 && window.end_chars >= window.total_chars;
  const label = renderText(names.field(source, stream, field));
  if (isWhole) return <>{label}</>;
  return (
    <>
      {label} · {where} of {formatNumber(window.total_chars)} ·{" "}
      <a class="go" href={getTextUrl({ id, field, ...findReadingPlace(first) })}>
        Continue reading<span class="hidden"> in {renderText(title.slice(0, 80).toWellFormed())}</span>
      </a>
    </>
  );
}

/** The next message of the conversation. */
function renderReply({ reply }: SearchResult): Html {
  if (reply === undefined) return <></>;
  const [actor] = reply.details;
  const who = actor === undefined ? "" : <> by {renderText(String(actor.value))}</>;
  return (
    <p class="soft" dir="auto">
      <a href={getRecordUrl(reply.id)}>Reply</a>
      {who}: {renderText(reply.preview)}
      {reply.truncated ? " …" : ""}
    </p>
  );
}

function renderSimilarLink({ similar, connection_id: source, stream }: SearchResult): Html {
  if (similar?.read.operation !== "queryRecords") return <></>;
  const filters = Object.entries(similar.read.arguments.filter ?? {}).flatMap(([field, value]) =>
    typeof value === "object" ? [] : [{ field, operator: "is" as const, value: String(value) }],
  );
  const table = {
    source,
    stream,
    filters,
    columns: [],
    isDefault: true,
    order: undefined,
    total: undefined,
    by: undefined,
  };
  return (
    <>
      {" "}
      · <a href={getTableUrl(table)}>{formatNumber(similar.count)} more like this</a>
    </>
  );
}

const renderNeighborMatches = (hit: SearchResult): Html => (
  <>
    {listNeighbourMatches(hit)
      .slice(0, 2)
      .map(({ words, id }) => (
        <>
          {" "}
          · {words.map(renderText)} matched in <a href={getRecordUrl(id)}>a neighbouring message</a>
        </>
      ))}
  </>
);

/** Links to the tool output an agent gets when it reads on from a hit. */
const renderToolLinks = ({ id }: SearchResult, first: MatchEvidence | undefined): Html => (
  <p class="soft">
    What the agent receives:{" "}
    <a href={`${getRecordUrl(id)}#tool-output`}>
      the record<span class="hidden"> {renderText(id)}</span>
    </a>
    {first?.window !== undefined && (
      <>
        {" "}
        ·{" "}
        <a href={`${getTextUrl({ id, field: first.field_path, offset: first.window.start_chars })}#tool-output`}>
          this passage<span class="hidden"> of {renderText(id)}</span>
        </a>
      </>
    )}
  </p>
);
