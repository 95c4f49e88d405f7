import type { StreamDeclaration } from "@pdpp/contract/declaration";
import type { EvidenceCard, Warning } from "@pdpp/contract/wire";
import { getStreamUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { asSentence } from "../../frame/render/sentences.ts";
import { formatCount, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { findKindView } from "../../views/kind-views.ts";
import { getSearchUrl } from "../search/search-question.ts";
import { renderBesideToolOutput, type ToolOutput } from "../tool-output.tsx";
import { renderRecordsTable } from "./records-table.tsx";
import {
  renderColumnForm,
  renderDownloadLinks,
  renderFilterChips,
  renderFilterForm,
  renderSortForm,
} from "./table-forms.tsx";
import { getTableUrl, type TableQuestion } from "./table-question.ts";
import type { Totals } from "./totals.ts";
import { renderTotals } from "./totals-view.tsx";

export interface TableView {
  readonly question: TableQuestion;
  readonly declaration: StreamDeclaration;
  readonly cards: readonly EvidenceCard[];
  readonly sortable: readonly string[];
  readonly next: string | undefined;
  readonly isFirst: boolean;
  readonly total: number | undefined;
  readonly totals: Totals | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  readonly toolOutput: ToolOutput | undefined;
  /** Warnings of the response. */
  readonly notes: readonly Warning[];
}

export function renderStreamPage(view: TableView): Html {
  const { question, declaration, cards, names, next, total } = view;
  const { source, stream, columns, filters } = question;
  const fields = columns.flatMap((name) => declaration.fields.filter((field) => field.name === name));
  const label = names.stream(source, stream);
  const shown = (
    <>
      <p class="from">
        {renderLetterMark(names.mark(source), "small")}
        {renderText(names.source(source))}
      </p>
      <h1>{renderText(label)}</h1>
      <p class="soft">
        {total !== undefined && formatCount(total, "record")}
        {!view.isFirst && (
          <>
            {" "}
            · <a href={getTableUrl(question)}>First page</a>
          </>
        )}
      </p>
      {renderViewLinks(names, source, stream)}
      {renderFilterChips(question, declaration)}
      <div class="tools">
        {renderFilterForm(question, declaration)}
        {renderColumnForm(question, declaration)}
        {renderTotals(question, view.totals)}
        {renderDownloadLinks(question)}
      </div>
      {cards.length > 1 && renderSortForm(question, declaration, view.sortable)}
      {cards.length === 0 ? (
        <>
          <p>{filters.length === 0 ? "No records yet." : "No matching records."}</p>
          {renderEmptyNotes(view)}
        </>
      ) : (
        renderRecordsTable(view, fields)
      )}
      {next !== undefined && (
        <p class="pages">
          <a rel="next" href={getTableUrl(question, next)}>
            More
          </a>
        </p>
      )}
    </>
  );
  return renderPage(label, renderBesideToolOutput(shown, view.toolOutput), {
    owner: { room: "/explore", viewer: view.viewer, impersonatedGrant: view.impersonatedGrant },
    isWide: true,
  });
}

/** Links to the view of the records' kind; the table is one of two. */
function renderViewLinks(names: Names, source: string, stream: string): Html {
  const view = findKindView(names, source, stream);
  const href = view?.getStreamUrl?.(source, stream);
  if (view === undefined || href === undefined) return <></>;
  return (
    <nav class="views" aria-label="View as">
      <a href={href}>{view.label}</a>
      <a href={getStreamUrl(source, stream)} aria-current="page">
        Table
      </a>
    </nav>
  );
}

/** Suggests similar values and a search when filters match nothing. */
function renderEmptyNotes({ question, notes }: TableView): Html {
  const { source, stream, filters } = question;
  const all = notes.filter(({ code }) => code === "no_exact_match");
  return (
    <>
      {all.map(({ message, detail, reads = [] }) => {
        const { field = "", close_values: close = [] } = detail ?? {};
        const [words = ""] = message.split(";");
        const links = close.map((value) => {
          const kept = filters.filter((each) => each.field !== field || each.operator !== "is");
          const there = { ...question, filters: [...kept, { field, operator: "is" as const, value }] };
          return (
            <li>
              <a href={getTableUrl(there)}>{renderText(value)}</a>
            </li>
          );
        });
        const search = reads.find((read) => read.operation === "search");
        return (
          <>
            <p class="soft note">{renderText(asSentence(words))}</p>
            {links.length > 0 && (
              <>
                <p>Similar values:</p>
                <ul>{links}</ul>
              </>
            )}
            {search !== undefined && (
              <p>
                <a href={getSearchUrl({ q: search.arguments.q, source, stream })}>
                  Search for {renderText(search.arguments.q)}
                </a>
              </p>
            )}
          </>
        );
      })}
    </>
  );
}
