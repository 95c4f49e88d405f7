import type { HitDetail, MatchEvidence, SearchList, SearchResult } from "@pdpp/contract/wire";
import { findDetailPassage, listBodyPassages, listNeighbourMatches } from "@pdpp/evidence/cards/hit";
import { getRecordUrl, getTextUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { joinHtml } from "../../frame/render/parts.tsx";
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
import { getTableUrl } from "../stream/table-question.ts";
import { renderToolOutput, type ToolOutput } from "../tool-output.tsx";
import { renderFilters } from "./filters.tsx";
import { renderOverTime } from "./over-time.tsx";
import { type OtherAgent, renderOtherAgents, renderSearchNotes } from "./search-notes.tsx";
import { getExactWordsUrl, getSearchUrl, getSearchUrlWithDates, type SearchQuestion } from "./search-question.ts";

/** Search results: hits over time, with the passages that matched. */

export interface SearchContext {
  readonly question: SearchQuestion;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  readonly now: number;
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
  const { question, found, names, impersonatedGrant } = view;
  const next = found.next_cursor;
  const title = question.asked ?? question.q;
  const { spread } = found.meta;
  return renderPage(
    title,
    <div class={`found${view.toolOutput === undefined ? "" : " both"}`}>
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
        {renderDateNotice(question)}
        {renderSearchNotes(found)}
        {spread !== undefined && renderOverTime(question, spread, found.meta.count)}
        {found.data.length === 0 ? (
          renderNoResults(view)
        ) : (
          <ol class="hits">{found.data.map((hit) => renderHit(hit, names, impersonatedGrant))}</ol>
        )}
        {next !== undefined && (
          <p class="pages">
            <a rel="next" href={getSearchUrl(question, next)}>
              More
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

function renderHit(hit: SearchResult, names: Names, impersonatedGrant: ImpersonatedGrant | undefined): Html {
  const { id, connection_id: source, stream, title, title_match: match, details = [] } = hit;
  const when = renderRecordTime(hit);
  const passages = listBodyPassages(hit).slice(0, 3);
  return (
    <li>
      <p class="from">
        {renderLetterMark(names.source(source), "small")}
        {renderText(names.source(source))} · {renderText(names.stream(source, stream))}
        {when !== undefined && <> · {when}</>}
      </p>
      <h2>
        <a href={getRecordUrl(id)}>
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
    inField > 1 ? `${inField} passages` : `${formatNumber(window.start_chars)}–${formatNumber(window.end_chars)}`;
  const isWhole = window.start_chars === 0 && window.end_chars >= window.total_chars;
  const label = renderText(names.field(source, stream, field));
  if (isWhole) return <>{label}</>;
  return (
    <>
      {label} · {where} of {formatNumber(window.total_chars)} ·{" "}
      <a class="go" href={getTextUrl({ id, field, offset: Math.max(0, window.start_chars - 400) })}>
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
  const table = { source, stream, filters, columns: [], order: undefined, total: undefined, by: undefined };
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
