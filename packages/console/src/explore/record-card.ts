import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, SingleCard } from "@pdpp/contract/wire";
import { presentedFields } from "@pdpp/evidence/card";
import type { RecordHandle } from "@pdpp/evidence/handle";
import type { Names } from "../frame/names.ts";
import { inputOf } from "./request.ts";

/** A card has room for a dozen fields; a record's page has more, and takes the next ones until all are there. */

/** A page is bounded too: fields beyond these are behind a link each. */
const mostCards = 5;

export interface WholeCard {
  readonly card: SingleCard;
  /** Fields that there was no room for. */
  readonly omitted: readonly string[];
}

export async function withAllFields(
  reader: ReadApi,
  place: RecordHandle,
  first: SingleCard,
  names: Names,
): Promise<WholeCard> {
  let card = first;
  let left = leftOf(card, card, names);
  for (let cards = 1; left.length > 0 && cards < mostCards; cards += 1) {
    const next = await reader.fetch({ ...inputOf(place), view: "evidence", fields: left });
    // Whoever wrote meanwhile: what is shown is of one version.
    if (next.object !== "evidence_card" || next.record_version !== card.record_version) break;
    card = withFieldsOf(card, next);
    left = leftOf(next, card, names);
  }
  return { card, omitted: left };
}

/** What a card leaves out by name; where that would be too many names, what is declared and not there yet. */
function leftOf({ omitted }: EvidenceCard, all: EvidenceCard, names: Names): string[] {
  if (omitted === undefined) return [];
  const { read } = omitted;
  if (read.operation === "fetch" && read.arguments.fields !== undefined) return [...read.arguments.fields];
  const shown = new Set(presentedFields(all).map(({ field_path }) => field_path));
  const declared = names.declaration(all.connection_id, all.stream)?.fields ?? [];
  return declared.map(({ name }) => name).filter((name) => !shown.has(name));
}

/** Keys are in every card. */
function withFieldsOf(card: SingleCard, next: EvidenceCard): SingleCard {
  const shown = new Set(presentedFields(card).map(({ field_path }) => field_path));
  const added = presentedFields(next).filter(({ field_path }) => !shown.has(field_path));
  const slots = { ...card.slots };
  for (const field of added) if (field.role !== undefined) slots[field.role] = [...(slots[field.role] ?? []), field];
  return { ...card, slots, fields: [...card.fields, ...added.filter(({ role }) => role === undefined)] };
}
