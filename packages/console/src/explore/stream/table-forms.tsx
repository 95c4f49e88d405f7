import { labelField } from "@pdpp/consent/labels";
import type { FieldDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import type { Html } from "../../frame/frame.tsx";
import { renderText } from "../../frame/render/values.tsx";
import {
  type Filter,
  formatFilter,
  formatSort,
  getRawUrl,
  getTableUrl,
  operators,
  type TableQuestion,
} from "./table-question.ts";

/** Forms to change a table: order, filters, columns and downloads. */

/** Keeps the rest of the URL's parameters when a form is submitted. */
export const renderHiddenFields = (question: TableQuestion, without: "column" | "filter" | "total" | "sort"): Html => (
  <>
    <input type="hidden" name="source" value={question.source} />
    <input type="hidden" name="stream" value={question.stream} />
    {without !== "sort" && question.sort !== undefined && <input type="hidden" name="sort" value={question.sort} />}
    {without !== "sort" && question.order !== undefined && <input type="hidden" name="order" value={question.order} />}
    {without !== "column" &&
      !question.isDefault &&
      question.columns.map((name) => <input type="hidden" name="column" value={name} />)}
    {question.filters.map((filter) => (
      <input type="hidden" name="filter" value={formatFilter(filter)} />
    ))}
    {!(without === "total" || question.total === undefined) && (
      <>
        <input type="hidden" name="total" value={question.total} />
        <input type="hidden" name="by" value={question.by ?? ""} />
      </>
    )}
  </>
);

export function renderFilterChips(question: TableQuestion, { fields }: StreamDeclaration): Html {
  if (question.filters.length === 0) return <></>;
  const renderChip = (filter: Filter) => {
    const field = fields.find(({ name }) => name === filter.field);
    const without = { ...question, filters: question.filters.filter((each) => each !== filter) };
    return (
      <li>
        {renderText(field === undefined ? filter.field : labelField(field))} {operators[filter.operator]}{" "}
        {renderText(filter.value)}{" "}
        <a href={getTableUrl(without)}>
          Remove<span class="hidden"> this filter</span>
        </a>
      </li>
    );
  };
  return <ul class="chips">{question.filters.map(renderChip)}</ul>;
}

/** The first direction is that of the first click on a heading. */
function listDirections({ kind }: FieldDeclaration): readonly (readonly ["asc" | "desc", string])[] {
  if (kind === "text")
    return [
      ["asc", "A to Z"],
      ["desc", "Z to A"],
    ];
  if (kind === "boolean")
    return [
      ["desc", "yes first"],
      ["asc", "no first"],
    ];
  if (kind === "date" || kind === "date-time")
    return [
      ["desc", "newest first"],
      ["asc", "oldest first"],
    ];
  return [
    ["desc", "largest first"],
    ["asc", "smallest first"],
  ];
}

/** For phones, where rows are cards without headings. */
export function renderSortForm(
  question: TableQuestion,
  { fields, cursorField }: StreamDeclaration,
  sortable: readonly string[],
): Html {
  const offered = fields.filter(({ name }) => sortable.includes(name));
  if (offered.length === 0) return <></>;
  const current = formatSort(question.order ?? "desc", question.sort ?? cursorField ?? "");
  const options = offered.flatMap((field) =>
    listDirections(field).map(([order, words]) => {
      const value = formatSort(order, field.name);
      return (
        <option value={value} selected={value === current}>
          {labelField(field)}, {words}
        </option>
      );
    }),
  );
  return (
    <form class="line sort-form" action="stream">
      {renderHiddenFields(question, "sort")}
      <label>
        Sort by <select name="sorted">{options}</select>
      </label>
      <button>Sort</button>
    </form>
  );
}

const canFilter = ({ kind }: FieldDeclaration): boolean => kind !== "json";

export const renderFilterForm = (question: TableQuestion, { fields }: StreamDeclaration): Html => (
  <details>
    <summary>Filter</summary>
    <form class="line" action="stream">
      {renderHiddenFields(question, "filter")}{" "}
      <label>
        Field{" "}
        <select name="field">
          {fields.filter(canFilter).map((field) => (
            <option value={field.name}>{labelField(field)}</option>
          ))}
        </select>
      </label>{" "}
      <label>
        Condition{" "}
        <select name="operator">
          {Object.entries(operators).map(([name, words]) => (
            <option value={name}>{words}</option>
          ))}
          {fields.some(({ lexical }) => lexical) && <option value="contains">contains (search)</option>}
        </select>
      </label>{" "}
      <label>
        Value <input type="text" name="value" size={16} />
      </label>
      <button>Apply</button>
    </form>
  </details>
);

export const renderColumnForm = (question: TableQuestion, { fields }: StreamDeclaration): Html => (
  <details>
    <summary>Columns</summary>
    <form class="columns" action="stream">
      {renderHiddenFields(question, "column")}
      {fields.slice(0, 100).map((field) => (
        <label>
          <input type="checkbox" name="column" value={field.name} checked={question.columns.includes(field.name)} />{" "}
          {renderText(labelField(field))}
        </label>
      ))}
      <button>Apply</button>
    </form>
  </details>
);

export const renderDownloadLinks = (question: TableQuestion): Html => (
  <p class="raw soft">
    Download{" "}
    <a href={getRawUrl(question, "csv")} download>
      CSV
    </a>{" "}
    ·{" "}
    <a href={getRawUrl(question, "json")} download>
      JSON
    </a>{" "}
    ·{" "}
    <a href={getRawUrl(question, "ndjson")} download>
      NDJSON
    </a>
  </p>
);
