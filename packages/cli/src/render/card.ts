import { roles } from "@pdpp/contract/declaration";
import type * as wire from "@pdpp/contract/wire";
import type { EvidenceCard } from "@pdpp/evidence/card";
import type { RestContinuation } from "@pdpp/evidence/continuation";
import type { FieldPresentation } from "@pdpp/evidence/field";
import { jsonLine, literal } from "./literal.ts";
import { sourceLine } from "./source.ts";
import { harmless } from "./style.ts";
import { continuation, counted, type View } from "./view.ts";

type Card = EvidenceCard<RestContinuation>;
type Field = FieldPresentation<RestContinuation>;

/** A card as the server made it: whose it is, its fields, and a command for each piece that is missing. */
export function cardText(view: View, given: wire.EvidenceCard): string {
  const card = given as unknown as Card;
  const fields = [...roles.flatMap((role) => card.slots[role] ?? []), ...card.fields];
  const names = Math.min(24, Math.max(0, ...fields.map(({ field_path }) => Array.from(harmless(field_path)).length)));
  return [
    view.style.bold(literal(card.title)),
    ...sourceLine(view, card),
    ...fields.flatMap((field) => fieldLines(view, field, names)),
    ...omittedLines(view, card),
    ...(card.complete ? [] : [view.style.dim("not all of it is shown here; the commands read the rest")]),
  ].join("\n");
}

function omittedLines(view: View, { omitted }: Card): string[] {
  if (omitted === undefined) return [];
  return [`and ${counted(omitted.count, "more field")}`, continuation(view, omitted.read.url)];
}

function fieldLines(view: View, field: Field, width: number): string[] {
  const name = `  ${view.style.bold(harmless(field.field_path).padEnd(width))}  `;
  switch (field.shown) {
    case "inline":
      return [name + (typeof field.value === "string" ? literal(field.value) : jsonLine(field.value))];
    case "preview": {
      const { end_chars: end, total_chars: total } = field.window;
      return [
        `${name}${literal(field.preview)} ${view.style.dim(`(${end} of ${total} characters)`)}`,
        continuation(view, field.read.url),
      ];
    }
    case "encoded": {
      const kind = [field.encoding, field.media_type].filter(Boolean).join(", ");
      return [`${name}${harmless(kind)}, ${field.total_chars} characters`, continuation(view, field.read.url)];
    }
    case "blob": {
      const blobs = field.references.flatMap(({ mime_type: type = "bytes", size_bytes: size, read }) => [
        `${name}${literal(type)}${size === undefined ? "" : `, ${counted(size, "byte")}`}`,
        continuation(view, read.url),
      ]);
      return field.read === undefined ? blobs : [...blobs, continuation(view, field.read.url)];
    }
  }
}
