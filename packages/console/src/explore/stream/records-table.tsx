import { labelField } from "@pdpp/consent/labels";
import type { FieldDeclaration, Json } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import type { Html } from "../../frame/frame.tsx";
import { joinHtml } from "../../frame/render/parts.tsx";
import { formatCount, isPlainList, renderScalar, renderText } from "../../frame/render/values.tsx";
import { looksLikeId } from "../../frame/technical-fields.ts";
import { getValueType } from "../../frame/value-types.ts";
import { getOpenUrl } from "../../views/kind-views.ts";
import { listFields } from "../record/record.ts";
import type { TableView } from "./stream-page.tsx";
import { getTableUrl } from "./table-question.ts";

/** Records in rows; on a phone each row is a card. */
export function renderRecordsTable(view: TableView, all: readonly FieldDeclaration[]): Html {
  const { declaration, cards, names } = view;
  const fields = view.question.isDefault ? dropIdColumns(all, cards) : all;
  const opened = declaration.fields.find(({ role }) => role === "primary-title")?.name;
  const opener = fields.find(({ name }) => name === opened) ?? fields[0];
  const renderCell = (card: EvidenceCard, field: FieldDeclaration): Html => {
    const shown = renderValue(view, card, field);
    const isOpener = field === opener;
    const className = [isNumber(field) ? "number" : "", isOpener ? "opener" : ""].filter((each) => each !== "");
    return (
      <td class={className.join(" ") || undefined} data-label={labelField(field)}>
        {isOpener ? (
          <a href={getOpenUrl(names, card)}>{String(shown) === "" ? renderText(card.title) : shown}</a>
        ) : (
          shown
        )}
      </td>
    );
  };
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Records">
      <table class="records">
        <thead>
          <tr>{fields.map((field) => renderHeading(view, field))}</tr>
        </thead>
        <tbody>
          {cards.map((card) => (
            <tr>{fields.map((field) => renderCell(card, field))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Ids that the manifest doesn't declare as keys: a column without a role whose values are all ids. */
function dropIdColumns(fields: readonly FieldDeclaration[], cards: readonly EvidenceCard[]): FieldDeclaration[] {
  const isOfIds = ({ name, role, kind }: FieldDeclaration): boolean => {
    if (role !== undefined || kind !== "text") return false;
    const values = cards.flatMap((card) => getInlineValue(findCell(card, name)) ?? []);
    return values.length > 0 && values.every(looksLikeId);
  };
  const kept = fields.filter((field) => !isOfIds(field));
  return kept.length === 0 ? fields.slice(0, 1) : kept;
}

/** The first click shows the newest and the largest, or the first in the alphabet. */
function renderHeading({ question, declaration, sortable }: TableView, field: FieldDeclaration): Html {
  const className = isNumber(field) ? "number" : undefined;
  const label = renderText(labelField(field));
  if (!sortable.includes(field.name))
    return (
      <th scope="col" class={className}>
        {label}
      </th>
    );
  const { cursorField } = declaration;
  const isSorted = field.name === (question.sort ?? cursorField);
  const isRising = question.order === "asc";
  const order = isSorted ? (isRising ? "desc" : "asc") : field.kind === "text" ? "asc" : "desc";
  const sort = field.name === cursorField ? undefined : field.name;
  return (
    <th scope="col" aria-sort={isSorted ? (isRising ? "ascending" : "descending") : undefined} class={className}>
      <a href={getTableUrl({ ...question, sort, order })}>
        {label} {isSorted && <span aria-hidden="true">{isRising ? "↑" : "↓"}</span>}
      </a>
    </th>
  );
}

const isNumber = ({ kind }: FieldDeclaration): boolean => kind === "integer" || kind === "number";

const maxCellChars = 140;
const truncate = (text: string): string =>
  text.length > maxCellChars ? `${text.slice(0, maxCellChars).toWellFormed()}…` : text;

const findCell = (card: EvidenceCard, name: string): FieldPresentation | undefined =>
  listFields(card).find(({ field_path }) => field_path === name);

const getInlineValue = (field: FieldPresentation | undefined): Json | undefined =>
  field?.shown === "inline" ? field.value : undefined;

function renderValue({ declaration }: TableView, card: EvidenceCard, { name }: FieldDeclaration): Html {
  const field = findCell(card, name);
  if (field === undefined) return <></>;
  if (field.shown === "preview") return renderText(truncate(`${field.preview}…`));
  if (field.shown === "blob") return <span class="soft">file</span>;
  if (field.shown === "encoded") return <span class="soft">data</span>;
  const { value } = field;
  // A link without words could not be seen or named.
  if (value === null || (typeof value === "string" && value.trim() === "")) return <></>;
  const type = getValueType(declaration, name, field.type);
  if (typeof value === "object" && type !== "recurrence") return renderParts(value);
  return typeof value === "string" ? renderScalar(truncate(value), type) : renderScalar(value, type, field.unit);
}

const maxListed = 5;

function renderParts(value: Json & object): Html {
  if (!isPlainList(value)) {
    const count = Array.isArray(value) ? value.length : Object.keys(value).length;
    return count === 0 ? (
      <></>
    ) : (
      <span class="soft">{formatCount(count, Array.isArray(value) ? "item" : "value")}</span>
    );
  }
  const more = value.length - maxListed;
  return (
    <>
      {joinHtml(value.slice(0, maxListed), ", ", (each) => renderText(truncate(String(each))))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}
