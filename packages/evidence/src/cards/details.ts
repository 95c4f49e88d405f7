import type { FieldDeclaration, Json } from "@pdpp/contract/declaration";
import type { HitDetail } from "@pdpp/contract/wire";
import { detectEncoded, getDeclaredEncoding } from "../fields/binary.ts";
import { cutPreview, isEmpty, isUnit, toText } from "../fields/field.ts";
import { budget } from "../sizes/budget.ts";
import { findFactSentence } from "./fact-sentence.ts";
import { type EvidenceRecord, type GrantedField, isShown, listGrantedFields } from "./record.ts";
import { makeTitle } from "./title.ts";

/** Details that distinguish a search hit from others with the same title, chosen by declared roles and types. */

export interface ShownPassage {
  readonly field: string;
  readonly preview: string;
}

/** Types of fields without a role that are worth showing if there is space. */
const informativeTypes: readonly string[] = ["person", "organization", "place"];

/**
 * Actors and amounts come first and are always shown; other details fill the space that the passages leave. Without a passage
 * nothing links the text to the question, so the start of the text is left out.
 */
export function selectDetails(record: EvidenceRecord, passages: readonly ShownPassage[]): HitDetail[] {
  const { title, field: titleField } = makeTitle(record);
  const fields = listGrantedFields(record).filter(({ value }) => !isBlank(value) && value !== title);
  const ofRole = (role: FieldDeclaration["role"]) => fields.filter(({ field }) => field?.role === role);
  const details: HitDetail[] = [];
  for (const each of [...limitFields(ofRole("actor")), ...limitFields(ofRole("amount"))])
    details.push(...present(record, each, budget.hit.detailChars));
  const shown = new Set(passages.map(({ field }) => field));
  const used = passages.reduce((sum, { field, preview }) => sum + (field === titleField ? 0 : preview.length), 0);
  let room = used > budget.hit.shortPassageChars ? 0 : budget.hit.chars - used;
  const further = [
    ...limitFields(ofRole("secondary")),
    ...(passages.length === 0 ? [] : limitFields(ofRole("body"))),
    ...limitFields(
      fields.filter(({ field }) => field?.role === undefined && informativeTypes.includes(field?.type ?? "")),
    ),
  ];
  for (const each of further) {
    if (room < budget.hit.minChars) break;
    if (shown.has(each.name)) continue;
    const most = each.field?.role === "body" ? budget.hit.bodyChars : budget.hit.detailChars;
    for (const detail of present(record, each, Math.min(room, most))) {
      details.push(detail);
      room -= countDetailChars(detail);
    }
  }
  return details;
}

const limitFields = (fields: readonly GrantedField[]): readonly GrantedField[] =>
  fields.slice(0, budget.hit.detailValues);

const isBlank = (value: Json): boolean => isEmpty(typeof value === "string" ? value.trim() : value);

const countDetailChars = ({ value }: HitDetail): number =>
  Array.isArray(value) ? value.reduce((sum, each) => sum + each.length, 0) : String(value).length;

/** Empty for values that contain bytes and for objects that are too large. */
function present(record: EvidenceRecord, { name, field, value }: GrantedField, most: number): HitDetail[] {
  const head = { field_path: name, ...(field?.role === undefined ? {} : { role: field.role }) };
  if (field !== undefined && (field.blob || getDeclaredEncoding(field) !== null)) return [];
  if (typeof value === "number" || typeof value === "boolean")
    return [{ ...head, value, ...getUnit(record, field), truncated: false }];
  if (typeof value === "string") {
    if (detectEncoded(value) !== null) return [];
    const text = value.trim();
    const { preview } = cutPreview(text, most);
    if (preview === "") return [];
    const truncated = preview.length < text.length;
    const fact =
      truncated && field?.role === "body" ? findFactSentence(text, preview.length, budget.hit.factChars) : undefined;
    if (fact !== undefined) return [{ ...head, value: [preview, fact], truncated }];
    return [{ ...head, value: preview, ...(truncated ? {} : getUnit(record, field)), truncated }];
  }
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    const values = value
      .slice(0, budget.hit.detailValues)
      .filter((each) => each.length <= most && detectEncoded(each) === null);
    return values.length === 0 ? [] : [{ ...head, value: values, truncated: values.length < value.length }];
  }
  const json = toText(value);
  return json.length > most ? [] : [{ ...head, value: json, truncated: false }];
}

function getUnit(record: EvidenceRecord, field: FieldDeclaration | undefined): Pick<HitDetail, "unit"> {
  const unit = field?.unitField !== undefined && isShown(record, field.unitField) ? record.data[field.unitField] : null;
  return isUnit(unit) ? { unit } : {};
}
