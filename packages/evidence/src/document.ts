import { budget } from "./budget.ts";
import { type Continuation, fetchFields, readFieldFrom } from "./continuation.ts";
import { beginningOf, type FieldPresentation, presentField, showingOf, textOf } from "./field.ts";
import { type EvidenceRecord, type GrantedField, grantedFields, type Provenance, provenanceOf } from "./record.ts";
import { charLength } from "./text.ts";
import { titleOf } from "./title.ts";

/** A record as a text to read: its body as it is if it has exactly one, else its fields, a line each. */
export interface RecordDocument<C = Continuation> {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: DocumentMetadata<C>;
}

export interface DocumentMetadata<C = Continuation> extends Provenance {
  /** All that the grant allows is in the text or, whole, among the fields. */
  readonly complete: boolean;
  /** The text was cut. */
  readonly truncated: boolean;
  /** The fields that the text is made of, how much it has of each, and the read that goes on. */
  readonly parts: readonly DocumentPart<C>[];
  /** What is not in the text: other fields beside a body, stored or encoded bytes. */
  readonly fields: readonly FieldPresentation<C>[];
  readonly omitted?: { readonly count: number; readonly read: C };
}

export interface DocumentPart<C = Continuation> {
  readonly field_path: string;
  readonly window: { readonly start_chars: number; readonly end_chars: number; readonly total_chars: number };
  readonly read?: C;
}

interface Line {
  readonly name: string;
  readonly text: string;
}

export function recordDocument(record: EvidenceRecord): RecordDocument;
export function recordDocument<C>(record: EvidenceRecord, options: DocumentOptions<C>): RecordDocument<C>;
export function recordDocument(
  record: EvidenceRecord,
  { spell, chars = budget.document.chars }: DocumentOptions<Continuation> = { spell: (next) => next },
): RecordDocument {
  const showing = showingOf(record, spell);
  const { place } = showing;
  const all = grantedFields(record);
  const kept = all.slice(0, budget.document.fields);
  const presented = kept.map((each) => ({
    ...each,
    shown: presentField(showing, each.name, each.field, each.value),
  }));
  const texts = presented.filter(({ shown }) => shown.shown === "inline" || shown.shown === "preview");
  const bodies = texts.filter(isBody);
  const [body] = bodies.length === 1 ? bodies : [];
  const inText = body === undefined ? texts : [body];
  const lines = inText.map(({ name, value }) => ({ name, text: textOf(value) }));
  const rooms = roomsOf(
    lines.map(({ text }) => text.length),
    chars,
  );
  const parts = lines.map((line, i) => partOf(line, rooms[i]!));
  const fields = presented.filter((each) => !inText.includes(each)).map(({ shown }) => shown);
  const truncated = parts.some(({ window }) => window.end_chars < window.total_chars);
  const omitted = all.slice(kept.length).map(({ name }) => name);
  const provenance = provenanceOf(record);
  return {
    id: provenance.id,
    title: titleOf(record),
    text:
      body === undefined ? parts.map(({ field_path, shown }) => `${field_path}: ${shown}`).join("\n") : parts[0]!.shown,
    metadata: {
      ...provenance,
      complete: !truncated && omitted.length === 0 && fields.every(({ shown }) => shown === "inline"),
      truncated: truncated || omitted.length > 0,
      parts: parts.map(({ shown: _, ...part }) =>
        part.window.end_chars === part.window.total_chars
          ? part
          : { ...part, read: spell(readFieldFrom(place, part.field_path, part.window.end_chars)) },
      ),
      fields,
      ...(omitted.length === 0 ? {} : { omitted: { count: omitted.length, read: spell(fetchFields(place, omitted)) } }),
    },
  };
}

export interface DocumentOptions<C> {
  readonly spell: (next: Continuation) => C;
  /** How long the text may be. */
  readonly chars?: number;
}

const isBody = ({ field, value }: GrantedField): boolean => field?.role === "body" && typeof value === "string";

/** Short texts get what they need; long ones share what is left. */
function roomsOf(lengths: readonly number[], most: number): number[] {
  const rooms = new Map<number, number>();
  let left = most;
  const byLength = [...lengths.entries()].sort((a, b) => a[1] - b[1]);
  for (const [done, [i, length]] of byLength.entries()) {
    const room = Math.min(length, Math.floor(left / (lengths.length - done)));
    rooms.set(i, room);
    left -= room;
  }
  return lengths.map((_, i) => rooms.get(i)!);
}

function partOf({ name, text }: Line, room: number): DocumentPart & { readonly shown: string } {
  const { preview, end } = beginningOf(text, room);
  return {
    field_path: name,
    window: { start_chars: 0, end_chars: end, total_chars: charLength(text) },
    shown: preview,
  };
}
