import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { BlobDescription, FieldPresentation } from "@pdpp/contract/wire";
import { toLiteral } from "@pdpp/evidence/text/literal";
import { formatBytesLine, layOutBytes } from "./bytes.ts";
import { formatCall, type ToolCall, toToolCall } from "./call.ts";

/** Presented fields as JSON and as text. `presentField` has decided what to show. */

/** The read that continues a field. Undefined for bytes, which no tool reads. */
function getReadCall(field: FieldPresentation): ToolCall | undefined {
  if (field.shown === "inline" || field.shown === "encoded" || field.read === undefined) return undefined;
  return toToolCall(field.read);
}

/** A field's value, or its description and the read that continues it. */
export function layOutField(field: FieldPresentation): JsonObject {
  const { field_path } = field;
  if (field.shown === "inline") return { field_path, value: field.value };
  const read = getReadCall(field);
  const next = read === undefined ? {} : { read };
  if (field.shown === "preview") {
    const { preview, window, items } = field;
    return { field_path, preview, window, ...(items === undefined ? {} : { items }), truncated: true, ...next };
  }
  if (field.shown === "encoded") {
    const { encoding, media_type, total_chars } = field;
    const type = media_type === undefined ? {} : { media_type };
    return { field_path, encoding, ...type, total_chars, bytes: layOutBytes(field.read) };
  }
  return { field_path, blobs: field.references.map((blob) => layOutBlob(blob)), ...next };
}

export const layOutBlob = (
  { blob_id, mime_type, size_bytes, sha256, text, read }: BlobDescription,
  brief = false,
): JsonObject => ({
  blob_id,
  ...(mime_type === undefined ? {} : { mime_type }),
  ...(size_bytes === undefined ? {} : { size_bytes }),
  ...(sha256 === undefined || blob_id.includes(sha256) ? {} : { sha256 }),
  bytes: layOutBytes(read, brief),
  ...(text === undefined ? {} : { text: toToolCall(text) }),
});

/** A file, the call that reads its text, and how to get its bytes. */
export const formatBlob = (name: string, blob: BlobDescription, brief = false): string[] => [
  `${name}: ${describeBlob(blob)}`,
  ...(blob.text === undefined ? [] : ["its text:", formatCall(toToolCall(blob.text))]),
  formatBytesLine(blob.read, brief),
];

export const formatFieldName = (path: string): string => (/^[\w.-]+$/.test(path) ? path : toLiteral(path));

/** One line per field and per file, followed by how to get any bytes. */
export function formatField(field: FieldPresentation): string[] {
  const name = formatFieldName(field.field_path);
  switch (field.shown) {
    case "inline":
      return [`${name}: ${toLiteral(field.value)}${formatUnit(field.unit)}`];
    case "preview": {
      const { end_chars, total_chars } = field.window;
      const { items } = field;
      const itemsShown = items === undefined ? "" : `${items.shown} of ${items.total} items, `;
      return [`${name} (first ${itemsShown}${end_chars} of ${total_chars} chars): ${toLiteral(field.preview)}`];
    }
    case "encoded": {
      const type = field.media_type === undefined ? "" : ` of ${toLiteral(field.media_type)}`;
      return [`${name}: ${field.encoding}${type}, ${field.total_chars} chars, omitted`, formatBytesLine(field.read)];
    }
    case "blob":
      return field.references.flatMap((blob) => [`${name}: ${describeBlob(blob)}`, formatBytesLine(blob.read)]);
  }
}

export const formatUnit = (unit: Json | undefined): string => {
  if (unit === undefined) return "";
  return typeof unit === "string" && /^[\p{L}\p{Sc}%°]{1,12}$/u.test(unit) ? ` ${unit}` : ` ${toLiteral(unit)}`;
};

const describeBlob = ({ blob_id, mime_type, size_bytes, sha256 }: BlobDescription): string =>
  [
    `file ${toLiteral(blob_id)}`,
    ...(mime_type === undefined ? [] : [toLiteral(mime_type)]),
    ...(size_bytes === undefined ? [] : [`${size_bytes} bytes`]),
    ...(sha256 === undefined || blob_id.includes(sha256) ? [] : [`sha256 ${toLiteral(sha256)}`]),
  ].join(", ");
