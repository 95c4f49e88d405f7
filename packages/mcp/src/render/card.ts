import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { EvidenceCard, FieldPresentation } from "@pdpp/contract/wire";
import { callLine, literal, oneLine, type ToolCall, toolCall } from "../continuation.ts";

/** Cards and presented fields, as objects and as lines. What is shown was decided by the server; this only writes it down. */

export const presentedFields = (card: EvidenceCard): FieldPresentation[] => [
  ...Object.values(card.slots).flat(),
  ...card.fields,
];

const fieldRead = (id: string, path: string): ToolCall => ({
  tool: "read_record_field",
  arguments: { id, field_path: path },
});

/** The read that leads on from a field that is not shown whole. */
export function readOf(id: string, field: FieldPresentation): ToolCall | undefined {
  if (field.shown === "inline") return undefined;
  return field.read === undefined ? fieldRead(id, field.field_path) : toolCall(field.read);
}

/** The reads of what stored texts say. */
const textReads = (field: FieldPresentation): ToolCall[] =>
  field.shown !== "blob" ? [] : field.references.flatMap(({ text }) => (text === undefined ? [] : [toolCall(text)]));

/** A field as an object: its value, or what there is to know of it and how to go on. */
export function fieldObject(id: string, field: FieldPresentation): JsonObject {
  const { field_path } = field;
  if (field.shown === "inline") return { field_path, value: field.value };
  const read = readOf(id, field) as unknown as Json;
  if (field.shown === "preview")
    return { field_path, preview: field.preview, window: field.window, truncated: true, read };
  if (field.shown === "encoded") {
    const { encoding, media_type, total_chars } = field;
    return { field_path, encoding, ...(media_type === undefined ? {} : { media_type }), total_chars, read };
  }
  const blobs = field.references.map(({ read: _, text, ...described }) => ({
    ...described,
    ...(text === undefined ? {} : { text: toolCall(text) as unknown as Json }),
  }));
  return { field_path, blobs: blobs as Json, read };
}

/** A field as lines: one with what is shown, then the calls that lead on. */
export function fieldLines(id: string, field: FieldPresentation): string[] {
  const { field_path } = field;
  const name = /^[\w.-]+$/.test(field_path) ? field_path : literal(field_path);
  const read = readOf(id, field);
  const calls = [...textReads(field), ...(read === undefined ? [] : [read])].map(callLine);
  if (field.shown === "inline") return [`${name}: ${literal(field.value)}`];
  if (field.shown === "preview") {
    const { end_chars, total_chars } = field.window;
    return [`${name} (first ${end_chars} of ${total_chars} chars): ${literal(field.preview)}`, ...calls];
  }
  if (field.shown === "encoded") {
    const type = field.media_type === undefined ? "" : ` of ${literal(field.media_type)}`;
    return [`${name}: bytes as ${field.encoding} text${type}, ${field.total_chars} chars, not shown`, ...calls];
  }
  return [...field.references.map((blob) => `${name}: ${blobText(blob)}`), ...calls];
}

interface Blob {
  readonly blob_id: string;
  readonly mime_type?: string | undefined;
  readonly size_bytes?: number | undefined;
  readonly sha256?: string | undefined;
}

const blobText = ({ blob_id, mime_type, size_bytes, sha256 }: Blob): string =>
  [
    `file ${literal(blob_id)}`,
    ...(mime_type === undefined ? [] : [literal(mime_type)]),
    ...(size_bytes === undefined ? [] : [`${size_bytes} bytes`]),
    ...(sha256 === undefined || blob_id.includes(sha256) ? [] : [`sha256 ${literal(sha256)}`]),
  ].join(", ");

/** Where a record comes from, and when. */
export interface Origin {
  readonly id: string;
  readonly title: string;
  readonly stream: string;
  readonly connection_id: string;
  readonly connector_key: string;
  readonly display_name?: string | undefined;
  readonly record_version: string;
  readonly event_time?: string | number | undefined;
  readonly emitted_at: string;
}

export const originObject = (origin: Origin): JsonObject => ({
  id: origin.id,
  title: origin.title,
  stream: origin.stream,
  connection_id: origin.connection_id,
  connector_key: origin.connector_key,
  ...(origin.display_name === undefined ? {} : { display_name: origin.display_name }),
  record_version: origin.record_version,
  ...(origin.event_time === undefined ? {} : { event_time: origin.event_time }),
  emitted_at: origin.emitted_at,
});

/** The line that a record begins with. */
export function originLine(n: number, origin: Origin): string {
  const label = origin.display_name === undefined ? "" : ` ${literal(origin.display_name)}`;
  const time = origin.event_time === undefined ? "" : ` | ${literal(origin.event_time)}`;
  const source = `${origin.connector_key} ${oneLine(origin.stream)}${label} ${origin.connection_id}`;
  return `${n}. ${literal(origin.title)} | ${source}${time} | version ${origin.record_version}, stored ${origin.emitted_at}`;
}

export const fetchCall = (id: string): ToolCall => ({ tool: "fetch", arguments: { id } });

export function cardObject(card: EvidenceCard, brief: boolean): JsonObject {
  const fields = presentedFields(card);
  const whole = fields.flatMap((field) => (field.shown === "inline" ? [[field.field_path, field.value]] : []));
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => fieldObject(card.id, field));
  const head = { ...originObject(card), complete: card.complete && !brief };
  const fetch = fetchCall(card.id) as unknown as Json;
  if (brief) return { ...head, read: fetch };
  return {
    ...head,
    fields: Object.fromEntries(whole) as JsonObject,
    ...(described.length === 0 ? {} : { described }),
    ...(card.omitted === undefined
      ? {}
      : { omitted: { count: card.omitted.count, read: toolCall(card.omitted.read) as unknown as Json } }),
    ...(card.complete ? {} : { read: fetch }),
  };
}

export function cardLines(n: number, card: EvidenceCard, brief: boolean): string[] {
  const head = originLine(n, card);
  if (brief) return [head, "too large to show here; not complete:", callLine(fetchCall(card.id))];
  const omitted =
    card.omitted === undefined ? [] : [`${card.omitted.count} more fields:`, callLine(toolCall(card.omitted.read))];
  return [
    head,
    ...presentedFields(card).flatMap((field) => fieldLines(card.id, field)),
    ...omitted,
    callLine(fetchCall(card.id)),
  ];
}
