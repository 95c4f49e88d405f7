import type { JsonObject } from "@pdpp/contract/declaration";
import type { RecordDocument, RelatedLink } from "@pdpp/contract/wire";
import { escapeControls } from "@pdpp/evidence/text/literal";
import { toToolCall } from "./call.ts";
import { layOutExpanded } from "./card.ts";
import { layOutField } from "./field.ts";

/**
 * A document as JSON, the same in both copies. A complete document starts with its text. An incomplete one starts with the reads
 * for the rest, because a host may show only the start of a result.
 */
export function layOutDocument(document: RecordDocument): JsonObject {
  const { id, title, text, citation_url: url = "", metadata, related = [], expanded } = document;
  const { complete, truncated, parts, fields, omitted } = metadata;
  const cut = parts.flatMap(({ field_path, window, read }) =>
    read === undefined ? [] : [{ field_path, window, read: toToolCall(read) }],
  );
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => layOutField(field));
  const whole = fields.flatMap((field) => (field.shown === "inline" ? [field] : []));
  const units = whole.flatMap(({ field_path, unit }) => (unit === undefined ? [] : [[field_path, unit] as const]));
  const isWhole = complete && cut.length === 0 && omitted === undefined;
  return {
    ...(isWhole ? { text } : {}),
    id,
    title,
    url,
    metadata: {
      complete,
      text_truncated: truncated,
      ...(cut.length === 0 ? {} : { continues: cut }),
      ...(omitted === undefined ? {} : { omitted: { count: omitted.count, read: toToolCall(omitted.read) } }),
      ...(related.length === 0 ? {} : { related: related.map(layOutLink) }),
      ...layOutExpanded(expanded).object,
      stream: metadata.stream,
      record_id: metadata.record_id,
      connector_key: metadata.connector_key,
      connection_id: metadata.connection_id,
      ...(metadata.display_name === undefined ? {} : { display_name: metadata.display_name }),
      record_version: metadata.record_version,
      ...(metadata.event_time === undefined ? {} : { event_time: metadata.event_time }),
      ...(metadata.local_time === undefined ? {} : { local_time: metadata.local_time }),
      emitted_at: metadata.emitted_at,
      ...(metadata.text_field === undefined ? {} : { text_field: metadata.text_field }),
      ...(whole.length === 0
        ? {}
        : { fields: Object.fromEntries(whole.map(({ field_path, value }) => [field_path, value])) }),
      ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
      ...(described.length === 0 ? {} : { described }),
    },
    ...(isWhole ? {} : { text }),
  };
}

export const stringifyDocument = (object: JsonObject): string => escapeControls(JSON.stringify(object));

/** A relationship that has records. The call names its stream. */
export const layOutLink = ({ relationship, count, has_more: more, read }: RelatedLink): JsonObject => ({
  relationship,
  count,
  ...(more === undefined ? {} : { has_more: more }),
  read: toToolCall(read),
});
