import type { ReadApi } from "@pdpp/contract/operations";
import type { EvidenceCard, SingleCard } from "@pdpp/contract/wire";
import { listPresentedFields } from "@pdpp/evidence/cards/card";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { budget } from "@pdpp/evidence/sizes/budget";
import type { Names } from "../frame/names.ts";
import { inputOf } from "./request.ts";

/** A card has room for a dozen fields; a record's page has more, and takes the next ones until all are there. */

/** A page is bounded too: fields beyond these are behind a link each. */
const mostCards = 5;
/** Of so many fields a card still names those that it leaves out. */
const namedAtOnce = budget.card.namedFields;
const mostReads = 30;

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
  let left: readonly string[] = leftOf(first) ?? notShownOf(first, names);
  const omitted: string[] = [];
  for (let reads = 1; left.length > 0 && reads < mostReads; reads += 1) {
    const asked = left.slice(0, namedAtOnce);
    const next = await reader.fetch({ ...inputOf(place), view: "evidence", fields: asked });
    // Whoever wrote meanwhile: what is shown is of one version.
    if (next.object !== "evidence_card" || next.record_version !== card.record_version) break;
    const others = left.slice(namedAtOnce);
    if (reads < mostCards) {
      card = withFieldsOf(card, next);
      left = [...(leftOf(next) ?? []), ...others];
    } else {
      const there = [...listPresentedFields(next).map(({ field_path }) => field_path), ...(leftOf(next) ?? [])];
      omitted.push(...there.filter((name) => asked.includes(name)));
      left = others;
    }
  }
  return { card, omitted };
}

/** What a card leaves out; undefined where that would be too many names for it. */
function leftOf({ omitted }: EvidenceCard): readonly string[] | undefined {
  if (omitted === undefined) return [];
  return omitted.read.operation === "fetch" ? omitted.read.arguments.fields : undefined;
}

/** What a record may have besides what its card shows. */
function notShownOf(card: EvidenceCard, names: Names): string[] {
  const shown = new Set(listPresentedFields(card).map(({ field_path }) => field_path));
  const declared = names.declaration(card.connection_id, card.stream)?.fields ?? [];
  return declared.map(({ name }) => name).filter((name) => !shown.has(name));
}

/** Keys are in every card. */
function withFieldsOf(card: SingleCard, next: EvidenceCard): SingleCard {
  const shown = new Set(listPresentedFields(card).map(({ field_path }) => field_path));
  const added = listPresentedFields(next).filter(({ field_path }) => !shown.has(field_path));
  const slots = { ...card.slots };
  for (const field of added) if (field.role !== undefined) slots[field.role] = [...(slots[field.role] ?? []), field];
  return { ...card, slots, fields: [...card.fields, ...added.filter(({ role }) => role === undefined)] };
}
