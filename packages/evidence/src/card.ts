import { type Role, roles } from "@pdpp/contract/declaration";
import { budget } from "./budget.ts";
import { type Continuation, fetchFields } from "./continuation.ts";
import { type FieldPresentation, presentField, showingOf, textOf } from "./field.ts";
import { type EvidenceRecord, type GrantedField, grantedFields, type Provenance, provenanceOf } from "./record.ts";
import { titleOf } from "./title.ts";

/** The bounded presentation of a record, by what its manifest declares, with a way to everything it does not show. */
export interface EvidenceCard<C = Continuation> extends Provenance {
  readonly object: "evidence_card";
  readonly title: string;
  /** Every value that the grant allows is shown whole. */
  readonly complete: boolean;
  /** Fields with a role, under it. */
  readonly slots: { readonly [R in Role]?: readonly FieldPresentation<C>[] };
  readonly fields: readonly FieldPresentation<C>[];
  /** Fields for which the card has no room. */
  readonly omitted?: { readonly count: number; readonly read: C };
}

export interface CardOptions<C> {
  /** How the surface writes continuations. */
  readonly spell: (next: Continuation) => C;
  /** What is shown beside the card; a made-up title is never the same. */
  readonly snippet?: string;
}

const rank = ({ field }: GrantedField): number =>
  field?.role === undefined ? roles.length : roles.indexOf(field.role);

export function evidenceCard(record: EvidenceRecord): EvidenceCard;
export function evidenceCard<C>(record: EvidenceRecord, options: CardOptions<C>): EvidenceCard<C>;
export function evidenceCard(
  record: EvidenceRecord,
  options: CardOptions<Continuation> = { spell: (next) => next },
): EvidenceCard {
  const showing = showingOf(record, options.spell);
  const byRank = grantedFields(record).sort((a, b) => rank(a) - rank(b));
  const presented: FieldPresentation[] = [];
  let used = 0;
  for (const { name, field, value } of byRank) {
    const presentation = presentField(showing, name, field, value);
    used += shownChars(presentation);
    if (presented.length === budget.card.fields || used > budget.card.chars) break;
    presented.push(presentation);
  }
  const omitted = byRank.slice(presented.length).map(({ name }) => name);
  const whole = presented.every(({ shown }) => shown === "inline");
  const read = options.spell(fetchFields(showing.place, omitted));
  return {
    object: "evidence_card",
    ...provenanceOf(record),
    title: titleOf(record, options.snippet),
    complete: whole && omitted.length === 0,
    slots: slotsOf(presented),
    fields: presented.filter(({ role }) => role === undefined),
    ...(omitted.length === 0 ? {} : { omitted: { count: omitted.length, read } }),
  };
}

/** Names do not count: how a card looks depends on values and declarations only. */
function shownChars(presentation: FieldPresentation): number {
  if (presentation.shown === "inline") return textOf(presentation.value).length;
  if (presentation.shown === "preview") return presentation.preview.length;
  if (presentation.shown === "encoded") return 0;
  return presentation.references.reduce((sum, { blob_id, sha256 }) => sum + blob_id.length + (sha256 ?? "").length, 0);
}

function slotsOf(presented: readonly FieldPresentation[]): EvidenceCard["slots"] {
  const used = roles.map((role) => [role, presented.filter((each) => each.role === role)] as const);
  return Object.fromEntries(used.filter(([, presentations]) => presentations.length > 0));
}

/** Every continuation of a card, in the order of what it shows. */
export function continuationsOf<C>(card: EvidenceCard<C>): C[] {
  const presentations = [...roles.flatMap((role) => card.slots[role] ?? []), ...card.fields];
  const reads = presentations.flatMap((each) => {
    if (each.shown === "inline") return [];
    const blobs =
      each.shown === "blob"
        ? each.references.flatMap(({ read, text }) => (text === undefined ? read : [read, text]))
        : [];
    return each.read === undefined ? blobs : [...blobs, each.read];
  });
  return card.omitted === undefined ? reads : [...reads, card.omitted.read];
}
