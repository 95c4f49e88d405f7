import type { Json } from "@pdpp/contract/declaration";
import type {
  BlobDescription,
  EvidenceCard,
  Expanded,
  FieldPresentation,
  RelatedLink,
  SingleCard,
} from "@pdpp/contract/wire";
import { describeCompleteness, getRemainingRead, listPresentedFields } from "@pdpp/evidence/cards/card";
import { isEmpty } from "@pdpp/evidence/fields/field";
import { formatRecordId } from "../input/record-id.ts";
import { formatSource } from "./source.ts";
import { formatName, quoteText, toJsonLine } from "./terminal/literal.ts";
import { showText, showValue } from "./terminal/readable.ts";
import { escapeUnprintable } from "./terminal/style.ts";
import { padToWidth } from "./terminal/table.ts";
import { measureWidth } from "./terminal/width.ts";
import { formatContinuation, formatCount, toBytesRead, type View, wrapText } from "./view.ts";

type ShownCard = EvidenceCard & Partial<Pick<SingleCard, "expanded" | "related">>;

/** Formats a card: source, fields, completeness and the command that reads the rest. */
export function formatCard(view: View, card: ShownCard): string {
  const rest = getRemainingRead(card);
  return [
    view.style.bold(showText(view, card.title)),
    ...formatSource(view, card),
    ...formatFieldValues(view, card),
    ...(card.omitted === undefined ? [] : [`and ${formatCount(card.omitted.count, "more field")}`]),
    view.style.dim(describeCompleteness(card)),
    ...(rest === undefined ? [] : [formatContinuation(view, rest)]),
    ...formatRelatedLinks(view, card.related),
    ...formatExpanded(view, card.expanded),
  ].join("\n");
}

export const formatRelatedLinks = (view: View, related: readonly RelatedLink[] = []): string[] =>
  related.flatMap(({ relationship, count, has_more: more, read }) => [
    read.operation === "fetch" ? formatName(relationship) : `${count}${more ? "+" : ""} ${formatName(relationship)}`,
    formatContinuation(view, read),
  ]);

/** Formats values, then one line with the fields already shown elsewhere and the empty ones. */
function formatFieldValues(view: View, card: EvidenceCard): string[] {
  const fields = listPresentedFields(card);
  const whole = fields.flatMap((field) => (field.shown === "inline" ? [field] : []));
  const above = whole.filter(({ repeats }) => repeats === true);
  const empty = whole.filter(({ value }) => isEmpty(value));
  const idle = new Set<FieldPresentation>([...above, ...empty]);
  const notes = [
    ...above.map((field) => `${describeRepeat(field, whole)}: ${formatName(field.field_path)}`),
    ...(empty.length === 0
      ? []
      : [
          `empty: ${empty.map(({ field_path, value }) => `${formatName(field_path)} ${toJsonLine(value)}`).join(", ")}`,
        ]),
  ];
  return [
    ...formatFieldLines(
      view,
      fields.filter((field) => !idle.has(field)),
    ),
    ...(notes.length === 0 ? [] : [view.style.dim(notes.join("; "))]),
  ];
}

type Inline = Extract<FieldPresentation, { shown: "inline" }>;

function describeRepeat({ role, value }: Inline, all: readonly Inline[]): string {
  if (role === "primary-title") return "title";
  if (role === "event-time") return "time";
  return all.some(({ unit }) => unit === value) ? "unit" : "id";
}

export const formatFields = (view: View, fields: readonly FieldPresentation[]): string[] =>
  fields.flatMap((field) => [
    ...formatFieldLines(view, [field], measureNames(fields)),
    ...formatFieldReads(view, field),
  ]);

const measureNames = (fields: readonly FieldPresentation[]): number =>
  Math.min(24, Math.max(0, ...fields.map(({ field_path }) => measureWidth(formatName(field_path)))));

/** Indents related cards, but not commands: those must start their line. */
export function formatExpanded(view: View, expanded: Expanded = {}): string[] {
  return Object.entries(expanded).flatMap(([name, value]) => {
    const list = value?.object === "list" ? value : undefined;
    const related = list === undefined ? [value] : list.data;
    const cards = related.filter((each) => each?.object === "evidence_card");
    const more = list?.has_more === true;
    const said = cards.length === 0 && !more ? "none" : `${cards.length} related${more ? ", not all" : ""}`;
    return [
      `${view.style.bold(formatName(name))}: ${said}`,
      ...cards.flatMap((card) => formatNestedCard(view, card)),
      ...(list?.next === undefined ? [] : ["show all", formatContinuation(view, list.next)]),
    ];
  });
}

function formatNestedCard(view: View, card: EvidenceCard): string[] {
  const rest = getRemainingRead(card);
  const time = card.event_time === undefined ? "" : `, ${quoteText(String(card.event_time))}`;
  const lines = [
    `${view.style.bold(showText(view, card.title))}${time}`,
    view.style.dim(`  ${formatRecordId(card.id)}`),
    ...formatFieldValues(view, card),
    ...(card.omitted === undefined ? [] : [`and ${formatCount(card.omitted.count, "more field")}`]),
    view.style.dim(describeCompleteness(card)),
  ];
  return [...lines.map((line) => `  ${line}`), ...(rest === undefined ? [] : [formatContinuation(view, rest)])];
}

/** Shows the digest only if the id does not contain it. */
function formatBlob({ blob_id, mime_type: type, size_bytes: size, sha256 }: BlobDescription): string {
  return [
    type === undefined ? "bytes" : quoteText(type),
    ...(size === undefined ? [] : [formatCount(size, "byte")]),
    ...(sha256 === undefined || blob_id.includes(sha256) ? [] : [`sha256 ${quoteText(sha256)}`]),
  ].join(", ");
}

const formatFieldLines = (view: View, fields: readonly FieldPresentation[], width = measureNames(fields)): string[] =>
  fields.flatMap((field) =>
    formatField(view, field, `  ${view.style.bold(padToWidth(formatName(field.field_path), width))}  `),
  );

function formatField(view: View, field: FieldPresentation, name: string): string[] {
  switch (field.shown) {
    case "inline":
      return [formatLong(view, name, `${showValue(view, field.value)}${formatUnit(field.unit)}`)];
    case "preview": {
      const { end_chars: end, total_chars: total } = field.window;
      const { items } = field;
      const counted = items === undefined ? "" : `${items.shown} of ${items.total} items, `;
      const size = view.style.dim(`(${counted}${end} of ${total} characters)`);
      return [formatLong(view, name, `${showText(view, field.preview)} ${size}`)];
    }
    case "encoded": {
      const kind = [field.encoding, field.media_type].filter(Boolean).join(", ");
      const way = view.style.dim(view.toCommand(toBytesRead(field.read)));
      return [`${name}${escapeUnprintable(kind)}, ${field.total_chars} characters: ${way}`];
    }
    case "blob":
      return field.references.map((blob) => `${name}${formatBlob(blob)}: ${view.style.dim(view.toCommand(blob.read))}`);
  }
}

/** Wraps a value beside its name on a terminal. */
function formatLong({ terminal, width }: View, name: string, value: string): string {
  if (!terminal) return `${name}${value}`;
  const indent = " ".repeat(measureWidth(name));
  return `${name}${wrapText(value, width, indent).slice(indent.length)}`;
}

export const formatUnit = (unit: Json | undefined): string => {
  if (unit === undefined) return "";
  return typeof unit === "string" && /^[\p{L}\p{Sc}%°]{1,12}$/u.test(unit) ? ` ${unit}` : ` ${toJsonLine(unit)}`;
};

function formatFieldReads(view: View, field: FieldPresentation): string[] {
  if (field.shown === "inline" || field.shown === "encoded") return [];
  const texts =
    field.shown === "blob" ? field.references.flatMap(({ text }) => (text === undefined ? [] : [text])) : [];
  return [...texts, ...(field.read === undefined ? [] : [field.read])].map((read) => formatContinuation(view, read));
}
