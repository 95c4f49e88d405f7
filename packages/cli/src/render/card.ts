import { roles } from "@pdpp/contract/declaration";
import type { BlobDescription, EvidenceCard, FieldPresentation, SingleCard } from "@pdpp/contract/wire";
import stringWidth from "string-width";
import { jsonLine, literal, named } from "./literal.ts";
import { sourceLine } from "./source.ts";
import { harmless } from "./style.ts";
import { padded } from "./table.ts";
import { continuation, counted, type NextRead, type View } from "./view.ts";

/** A card as the server made it: whose it is, its fields, and a command for each piece that is missing. */
export function cardText(view: View, card: EvidenceCard & { expanded?: SingleCard["expanded"] }): string {
  const fields = [...roles.flatMap((role) => card.slots[role] ?? []), ...card.fields];
  return [
    view.style.bold(literal(card.title)),
    ...sourceLine(view, card),
    ...fieldsText(view, fields),
    ...omittedLines(view, card.omitted),
    ...(card.complete ? [] : [incomplete(view)]),
    ...relatedLines(view, card.expanded),
  ].join("\n");
}

export const incomplete = (view: View): string =>
  view.style.dim("not all of it is shown here; the commands read the rest");

export function fieldsText(view: View, fields: readonly FieldPresentation[]): string[] {
  const names = Math.min(24, Math.max(0, ...fields.map(({ field_path }) => stringWidth(named(field_path)))));
  return fields.flatMap((field) => fieldLines(view, field, names));
}

export function omittedLines(view: View, omitted: EvidenceCard["omitted"]): string[] {
  if (omitted === undefined) return [];
  return [`and ${counted(omitted.count, "more field")}`, continuation(view, omitted.read)];
}

type Expanded = NonNullable<SingleCard["expanded"]>;

/** Related records by their titles; each has the command that reads it. */
function relatedLines(view: View, expanded: Expanded = {}): string[] {
  return Object.entries(expanded).flatMap(([name, value]) => {
    const list = value?.object === "list" ? value : undefined;
    const related = list === undefined ? [value] : list.data;
    const cards = related.filter((each) => each?.object === "evidence_card");
    const head = `${view.style.bold(named(name))}: ${cards.length === 0 ? "none" : `${cards.length} related`}`;
    return [
      head,
      ...cards.flatMap((card) => [`  ${literal(card.title)}`, continuation(view, fetchOf(card))]),
      ...(list?.next === undefined ? [] : ["all of them", continuation(view, list.next)]),
    ];
  });
}

const fetchOf = ({ connection_id, stream, record_id }: EvidenceCard): NextRead => ({
  operation: "fetch",
  arguments: { connection_id, stream, record_id },
});

/** The id is in the command; the digest is told where the id does not tell it. */
function blobText({ blob_id, mime_type: type, size_bytes: size, sha256 }: BlobDescription): string {
  return [
    type === undefined ? "bytes" : literal(type),
    ...(size === undefined ? [] : [counted(size, "byte")]),
    ...(sha256 === undefined || blob_id.includes(sha256) ? [] : [`sha256 ${literal(sha256)}`]),
  ].join(", ");
}

function fieldLines(view: View, field: FieldPresentation, width: number): string[] {
  const name = `  ${view.style.bold(padded(named(field.field_path), width))}  `;
  switch (field.shown) {
    case "inline":
      return [name + (typeof field.value === "string" ? literal(field.value) : jsonLine(field.value))];
    case "preview": {
      const { end_chars: end, total_chars: total } = field.window;
      return [
        `${name}${literal(field.preview)} ${view.style.dim(`(${end} of ${total} characters)`)}`,
        continuation(view, field.read),
      ];
    }
    case "encoded": {
      const kind = [field.encoding, field.media_type].filter(Boolean).join(", ");
      return [`${name}${harmless(kind)}, ${field.total_chars} characters`, continuation(view, field.read)];
    }
    case "blob": {
      const blobs = field.references.flatMap((reference) => [
        name + blobText(reference),
        continuation(view, reference.read),
        ...(reference.text === undefined ? [] : [continuation(view, reference.text)]),
      ]);
      return field.read === undefined ? blobs : [...blobs, continuation(view, field.read)];
    }
  }
}
