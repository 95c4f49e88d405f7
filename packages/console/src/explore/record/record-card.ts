import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, FieldPresentation, SingleCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { Names } from "../../frame/names.ts";
import { toReadInput } from "../request.ts";

/** A card shows a dozen fields; a record's page loads more cards until it has them all. */

/** Further fields are only linked. */
const maxCards = 5;
/** A card names up to this many omitted fields. */
const fieldsPerRead = budget.card.namedFields;
const maxReads = 30;

export interface CompleteCard {
  readonly card: SingleCard;
  readonly omitted: readonly string[];
}

export async function loadAllFields(
  reader: ReadApi,
  place: RecordHandle,
  first: SingleCard,
  names: Names,
): Promise<CompleteCard> {
  let card = first;
  let left: readonly string[] = getOmittedFields(first) ?? listMissingFields(first, names);
  const omitted: string[] = [];
  for (let reads = 1; left.length > 0 && reads < maxReads; reads += 1) {
    const asked = left.slice(0, fieldsPerRead);
    const next = await reader.fetch({ ...toReadInput(place), view: "evidence", fields: asked });
    // If the record changed in between, keep to one version.
    if (next.object !== "evidence_card" || next.record_version !== card.record_version) break;
    const others = left.slice(fieldsPerRead);
    if (reads < maxCards) {
      card = addFields(card, next);
      left = [...(getOmittedFields(next) ?? []), ...others];
    } else {
      const there = [
        ...listPresentedFields(next).map(({ field_path }) => field_path),
        ...(getOmittedFields(next) ?? []),
      ];
      omitted.push(...there.filter((name) => asked.includes(name)));
      left = others;
    }
  }
  return { card, omitted };
}

/** Fields the card omits; undefined if there are too many to name. */
function getOmittedFields({ omitted }: EvidenceCard): readonly string[] | undefined {
  if (omitted === undefined) return [];
  return omitted.read.operation === "fetch" ? omitted.read.arguments.fields : undefined;
}

/** Fields a record may have besides those on its card. */
function listMissingFields(card: EvidenceCard, names: Names): string[] {
  const shown = new Set(listPresentedFields(card).map(({ field_path }) => field_path));
  const declared = names.declaration(card.connection_id, card.stream)?.fields ?? [];
  return declared.map(({ name }) => name).filter((name) => !shown.has(name));
}

/** Cards overlap, because every card has the key fields. */
function addFields(card: SingleCard, next: EvidenceCard): SingleCard {
  const shown = new Set(listPresentedFields(card).map(({ field_path }) => field_path));
  const added = listPresentedFields(next).filter(({ field_path }) => !shown.has(field_path));
  const slots = { ...card.slots };
  for (const field of added) if (field.role !== undefined) slots[field.role] = [...(slots[field.role] ?? []), field];
  return { ...card, slots, fields: [...card.fields, ...added.filter(({ role }) => role === undefined)] };
}

/** Nothing, an empty text or an empty list. */
export const isEmpty = (field: FieldPresentation): boolean =>
  field.shown === "inline" &&
  (field.value === null || field.value === "" || (Array.isArray(field.value) && field.value.length === 0));
