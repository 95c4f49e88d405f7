import type { Json } from "@pdpp/contract/declaration";
import type {
  BlobDescription,
  EvidenceCard,
  Expanded,
  FieldPresentation,
  RelatedLink,
  SingleCard,
} from "@pdpp/contract/wire";
import { completeness, presentedFields, restOf } from "@pdpp/evidence/cards/card";
import { isEmpty } from "@pdpp/evidence/fields/field";
import stringWidth from "string-width";
import { formatRecordId } from "../input/record-id.ts";
import { sourceLines } from "./source.ts";
import { jsonLine, literal, named } from "./terminal/literal.ts";
import { harmless } from "./terminal/style.ts";
import { padded } from "./terminal/table.ts";
import { bytesRead, continuation, counted, type View } from "./view.ts";

type ShownCard = EvidenceCard & Partial<Pick<SingleCard, "expanded" | "related">>;

/** A card as the server made it: whose it is, its fields, whether that is all, and the one command that reads the rest. */
export function cardText(view: View, card: ShownCard): string {
  const rest = restOf(card);
  return [
    view.style.bold(literal(card.title)),
    ...sourceLines(view, card),
    ...valueLines(view, card),
    ...(card.omitted === undefined ? [] : [`and ${counted(card.omitted.count, "more field")}`]),
    view.style.dim(completeness(card)),
    ...(rest === undefined ? [] : [continuation(view, rest)]),
    ...linkLines(view, card.related),
    ...expandedLines(view, card.expanded),
  ].join("\n");
}

/** What belongs to a record: how many of each kind, and the command that shows them. */
export const linkLines = (view: View, related: readonly RelatedLink[] = []): string[] =>
  related.flatMap(({ relationship, count, has_more: more, read }) => [
    read.operation === "fetch" ? named(relationship) : `${count}${more ? "+" : ""} ${named(relationship)}`,
    continuation(view, read),
  ]);

/** Values; then, in a line, which fields are shown already as the title, time, id or unit, and which are empty. */
function valueLines(view: View, card: EvidenceCard): string[] {
  const fields = presentedFields(card);
  const whole = fields.flatMap((field) => (field.shown === "inline" ? [field] : []));
  const above = whole.filter(({ repeats }) => repeats === true);
  const empty = whole.filter(({ value }) => isEmpty(value));
  const idle = new Set<FieldPresentation>([...above, ...empty]);
  const notes = [
    ...above.map((field) => `${shownAs(field, whole)}: ${named(field.field_path)}`),
    ...(empty.length === 0
      ? []
      : [`empty: ${empty.map(({ field_path, value }) => `${named(field_path)} ${jsonLine(value)}`).join(", ")}`]),
  ];
  return [
    ...fieldLines(
      view,
      fields.filter((field) => !idle.has(field)),
    ),
    ...(notes.length === 0 ? [] : [view.style.dim(notes.join("; "))]),
  ];
}

type Inline = Extract<FieldPresentation, { shown: "inline" }>;

/** As what the card shows a value anyway. */
function shownAs({ role, value }: Inline, all: readonly Inline[]): string {
  if (role === "primary-title") return "title";
  if (role === "event-time") return "time";
  return all.some(({ unit }) => unit === value) ? "unit" : "id";
}

/** Fields as a document shows them: each with the commands that read the rest of it. */
export const fieldsText = (view: View, fields: readonly FieldPresentation[]): string[] =>
  fields.flatMap((field) => [...fieldLines(view, [field], widthOf(fields)), ...readLines(view, field)]);

const widthOf = (fields: readonly FieldPresentation[]): number =>
  Math.min(24, Math.max(0, ...fields.map(({ field_path }) => stringWidth(named(field_path)))));

/** Related records that were brought along, as cards a step to the right; commands begin their line. */
export function expandedLines(view: View, expanded: Expanded = {}): string[] {
  return Object.entries(expanded).flatMap(([name, value]) => {
    const list = value?.object === "list" ? value : undefined;
    const related = list === undefined ? [value] : list.data;
    const cards = related.filter((each) => each?.object === "evidence_card");
    const more = list?.has_more === true;
    const said = cards.length === 0 && !more ? "none" : `${cards.length} related${more ? ", not all" : ""}`;
    return [
      `${view.style.bold(named(name))}: ${said}`,
      ...cards.flatMap((card) => nestedLines(view, card)),
      ...(list?.next === undefined ? [] : ["all of them", continuation(view, list.next)]),
    ];
  });
}

/** Its connection and stream are those of the relationship, and the id has them. */
function nestedLines(view: View, card: EvidenceCard): string[] {
  const rest = restOf(card);
  const time = card.event_time === undefined ? "" : `, ${literal(String(card.event_time))}`;
  const lines = [
    `${view.style.bold(literal(card.title))}${time}`,
    view.style.dim(`  ${formatRecordId(card.id)}`),
    ...valueLines(view, card),
    ...(card.omitted === undefined ? [] : [`and ${counted(card.omitted.count, "more field")}`]),
    view.style.dim(completeness(card)),
  ];
  return [...lines.map((line) => `  ${line}`), ...(rest === undefined ? [] : [continuation(view, rest)])];
}

/** The id is in the command behind it; the digest is told where the id does not tell it. */
function blobText({ blob_id, mime_type: type, size_bytes: size, sha256 }: BlobDescription): string {
  return [
    type === undefined ? "bytes" : literal(type),
    ...(size === undefined ? [] : [counted(size, "byte")]),
    ...(sha256 === undefined || blob_id.includes(sha256) ? [] : [`sha256 ${literal(sha256)}`]),
  ].join(", ");
}

const fieldLines = (view: View, fields: readonly FieldPresentation[], width = widthOf(fields)): string[] =>
  fields.flatMap((field) => linesOf(view, field, `  ${view.style.bold(padded(named(field.field_path), width))}  `));

/** A field on a line, a file on a line of its own. */
function linesOf(view: View, field: FieldPresentation, name: string): string[] {
  switch (field.shown) {
    case "inline":
      return [`${name}${valueText(field.value)}${unitText(field.unit)}`];
    case "preview": {
      const { end_chars: end, total_chars: total } = field.window;
      const { items } = field;
      const counted = items === undefined ? "" : `${items.shown} of ${items.total} items, `;
      return [`${name}${literal(field.preview)} ${view.style.dim(`(${counted}${end} of ${total} characters)`)}`];
    }
    case "encoded": {
      const kind = [field.encoding, field.media_type].filter(Boolean).join(", ");
      const way = view.style.dim(view.toCommand(bytesRead(field.read)));
      return [`${name}${harmless(kind)}, ${field.total_chars} characters: ${way}`];
    }
    case "blob":
      return field.references.map((blob) => `${name}${blobText(blob)}: ${view.style.dim(view.toCommand(blob.read))}`);
  }
}

const valueText = (value: Json): string => (typeof value === "string" ? literal(value) : jsonLine(value));

/** What an amount is counted in. */
export const unitText = (unit: Json | undefined): string => {
  if (unit === undefined) return "";
  return typeof unit === "string" && /^[\p{L}\p{Sc}%°]{1,12}$/u.test(unit) ? ` ${unit}` : ` ${jsonLine(unit)}`;
};

function readLines(view: View, field: FieldPresentation): string[] {
  if (field.shown === "inline" || field.shown === "encoded") return [];
  const texts =
    field.shown === "blob" ? field.references.flatMap(({ text }) => (text === undefined ? [] : [text])) : [];
  return [...texts, ...(field.read === undefined ? [] : [field.read])].map((read) => continuation(view, read));
}
