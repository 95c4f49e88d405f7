import { type Continuation, continueWith } from "@pdpp/contract/continuation";
import { type Role, roles } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { createShowing, isEmpty, isUnit, presentField, toText } from "../fields/field.ts";
import { fetchFields } from "../handles/continuation.ts";
import { budget } from "../sizes/budget.ts";
import {
  type EvidenceRecord,
  type GrantedField,
  getProvenance,
  isShown,
  listEventTimes,
  listGrantedFields,
} from "./record.ts";
import { makeTitle, type Title } from "./title.ts";

const getRank = ({ field }: GrantedField): number =>
  field?.role === undefined ? roles.length : roles.indexOf(field.role);

/** A bounded presentation of a record by its manifest, with a read for everything that is left out. */
export function createCard(record: EvidenceRecord): EvidenceCard {
  const showing = createShowing(record);
  const byRank = listGrantedFields(record).sort((a, b) => getRank(a) - getRank(b));
  const title = makeTitle(record);
  const telling: GrantedField[] = [];
  const idle: GrantedField[] = [];
  for (const each of byRank) (isEmpty(each.value) || isRepeated(record, title, each) ? idle : telling).push(each);
  const presented: FieldPresentation[] = [];
  let used = 0;
  for (const { name, field, value } of telling) {
    const presentation = presentField(showing, name, field, value);
    used += countShownChars(presentation);
    if (presented.length === budget.card.fields || used > budget.card.chars) break;
    presented.push(presentation);
  }
  const left = telling.slice(presented.length);
  for (const each of idle.slice(0, budget.card.idleFields)) {
    const presentation = presentField(showing, each.name, each.field, each.value);
    // A title made from parts contains the value but is not equal to it, so the value is shown as well.
    const isPart = each.name === title.field && each.value !== title.title;
    const repeatsHeading = presentation.shown === "inline" && !isEmpty(each.value) && !isPart;
    presented.push(repeatsHeading ? { ...presentation, repeats: true } : presentation);
  }
  const omitted = [...left, ...idle.slice(budget.card.idleFields)].map(({ name }) => name);
  const whole = presented.every(({ shown }) => shown === "inline");
  const read = fetchFields(showing.place, omitted);
  return {
    object: "evidence_card",
    ...getProvenance(record),
    title: title.title,
    complete: whole && omitted.length === 0,
    slots: groupByRole(presented),
    fields: presented.filter(({ role }) => role === undefined),
    ...(omitted.length === 0 ? {} : { omitted: { count: omitted.length, read } }),
  };
}

/** Whether the card already shows a value as its title, time, id or unit. Such values do not displace others. */
function isRepeated(record: EvidenceRecord, title: Title, { name, field, value }: GrantedField): boolean {
  const { primaryKey, fields } = record.stream;
  if (field?.role === "primary-title") return name === title.field && value === title.fieldText;
  if (field?.role === "event-time") return value === listEventTimes(record)[0];
  if (primaryKey.length === 1 && primaryKey[0] === name) return value === record.recordId;
  if (typeof value !== "string" || !isUnit(value)) return false;
  return fields.some(({ name: amount, unitField }) => unitField === name && isAmount(record, amount));
}

const isAmount = (record: EvidenceRecord, name: string): boolean =>
  isShown(record, name) && typeof record.data[name] === "number";

/** Names do not count, so that the layout depends on values and declarations only. */
function countShownChars(presentation: FieldPresentation): number {
  if (presentation.shown === "inline") return toText(presentation.value).length;
  if (presentation.shown === "preview") return presentation.preview.length;
  if (presentation.shown === "encoded") return 0;
  return presentation.references.reduce((sum, { blob_id, sha256 }) => sum + blob_id.length + (sha256 ?? "").length, 0);
}

function groupByRole(presented: readonly FieldPresentation[]): EvidenceCard["slots"] {
  const slots: { [K in Role]?: FieldPresentation[] } = {};
  for (const role of roles) {
    for (const each of presented) {
      if (each.role !== role) continue;
      slots[role] ??= [];
      slots[role].push(each);
    }
  }
  return slots;
}

/** The fields of a card, ordered by role. */
export function listPresentedFields({ slots, fields }: EvidenceCard): FieldPresentation[] {
  const presented: FieldPresentation[] = [];
  for (const role of roles) presented.push(...(slots[role] ?? []));
  presented.push(...fields);
  return presented;
}

/**
 * The single read for what a card leaves out: the rest of its only long text, or the record. Undefined if only bytes are left,
 * because the record would not show them either.
 */
export function getRemainingRead(card: EvidenceCard): Continuation | undefined {
  const { connection_id, stream, record_id, omitted } = card;
  const reads = [...listPresentedFields(card).flatMap(listTextReads), ...(omitted === undefined ? [] : [omitted.read])];
  return reads.length > 1 ? continueWith("fetch", { connection_id, stream, record_id }) : reads[0];
}

export function describeCompleteness(
  card: EvidenceCard,
): "complete" | "complete except for the bytes" | "not complete" {
  if (card.complete) return "complete";
  return getRemainingRead(card) === undefined ? "complete except for the bytes" : "not complete";
}

/** Reads that show more of a field as text. */
function listTextReads(field: FieldPresentation): Continuation[] {
  if (field.shown === "inline" || field.shown === "encoded") return [];
  const texts =
    field.shown === "blob" ? field.references.flatMap(({ text }) => (text === undefined ? [] : [text])) : [];
  return field.read === undefined ? texts : [...texts, field.read];
}
