import { labelField } from "@pdpp/consent/labels";
import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { EvidenceCard, Warning } from "@pdpp/contract/wire";
import { getRecordUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { asSentence } from "../../frame/render/sentences.ts";
import { formatCount, renderScalar, renderText } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { listFields } from "../record/record.ts";
import { getSearchUrl } from "../search/search-question.ts";
import { renderBesideToolOutput, type ToolOutput } from "../tool-output.tsx";
import { renderColumnForm, renderDownloadLinks, renderFilterChips, renderFilterForm } from "./table-forms.tsx";
import { getTableUrl, type TableQuestion } from "./table-question.ts";
import type { Totals } from "./totals.ts";
import { renderTotals } from "./totals-view.tsx";

export interface TableView {
  readonly question: TableQuestion;
  readonly declaration: StreamDeclaration;
  readonly cards: readonly EvidenceCard[];
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
        {renderLetterMark(names.source(source), "small")}
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
      {renderFilterChips(question, declaration)}
      <div class="tools">
        {renderFilterForm(question, declaration)}
        {renderColumnForm(question, declaration)}
        {renderTotals(question, view.totals)}
        {renderDownloadLinks(question)}
      </div>
      {cards.length === 0 ? (
        <>
          <p>{filters.length === 0 ? "No records yet." : "No matching records."}</p>
          {renderEmptyNotes(view)}
        </>
      ) : (
        renderTable(view, fields)
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

function renderTable({ question, declaration, cards }: TableView, fields: readonly FieldDeclaration[]): Html {
  const turned = { ...question, order: question.order === "asc" ? "desc" : "asc" } as const;
  const renderHeading = (field: FieldDeclaration) => {
    const className = isNumber(field) ? "number" : undefined;
    if (field.name !== declaration.cursorField)
      return (
        <th scope="col" class={className}>
          {renderText(labelField(field))}
        </th>
      );
    const isRising = question.order === "asc";
    return (
      <th scope="col" aria-sort={isRising ? "ascending" : "descending"} class={className}>
        <a href={getTableUrl(turned)}>
          {renderText(labelField(field))} <span aria-hidden="true">{isRising ? "↑" : "↓"}</span>
        </a>
      </th>
    );
  };
  const opened = declaration.fields.find(({ role }) => role === "primary-title")?.name;
  const opener = fields.find(({ name }) => name === opened) ?? fields[0];
  const renderRow = (card: EvidenceCard) => (
    <tr>
      {fields.map((field) => (
        <td class={isNumber(field) ? "number" : undefined}>
          {field === opener ? renderLinkedCell(card, field) : renderCell(card, field)}
        </td>
      ))}
    </tr>
  );
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Records">
      <table class="records">
        <thead>
          <tr>{fields.map(renderHeading)}</tr>
        </thead>
        <tbody>{cards.map(renderRow)}</tbody>
      </table>
    </div>
  );
}

function renderLinkedCell(card: EvidenceCard, field: FieldDeclaration): Html {
  const shown = renderCell(card, field);
  return <a href={getRecordUrl(card.id)}>{String(shown) === "" ? "Open" : shown}</a>;
}

const isNumber = ({ kind }: FieldDeclaration): boolean => kind === "integer" || kind === "number";

const maxCellChars = 140;
const truncate = (text: string): string =>
  text.length > maxCellChars ? `${text.slice(0, maxCellChars).toWellFormed()}…` : text;

function renderCell(card: EvidenceCard, { name }: FieldDeclaration): Html {
  const field = listFields(card).find(({ field_path }) => field_path === name);
  if (field === undefined) return <></>;
  if (field.shown === "preview") return renderText(truncate(`${field.preview}…`));
  if (field.shown === "blob") return <span class="soft">file</span>;
  if (field.shown === "encoded") return <span class="soft">data</span>;
  if (field.value === null) return <></>;
  if (typeof field.value === "object") return <code>{truncate(JSON.stringify(field.value))}</code>;
  return typeof field.value === "string"
    ? renderScalar(truncate(field.value), field.type)
    : renderScalar(field.value, field.type, field.unit);
}
