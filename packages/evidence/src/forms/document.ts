import type { JsonObject } from "@pdpp/contract/declaration";
import type { RecordDocument } from "@pdpp/contract/wire";
import { toolCall } from "./call.ts";
import { fieldObject } from "./field.ts";

/** A document as a tool gives it: five keys, the same in both forms. What matters of the metadata comes before the text. */
export function documentObject({ id, title, text, metadata }: RecordDocument): JsonObject {
  const { complete, truncated, parts, fields, omitted } = metadata;
  const cut = parts.flatMap(({ field_path, window, read }) =>
    read === undefined ? [] : [{ field_path, window, read: toolCall(read) }],
  );
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => fieldObject(id, field));
  const whole = fields.flatMap((field) => (field.shown === "inline" ? [field] : []));
  const units = whole.flatMap(({ field_path, unit }) => (unit === undefined ? [] : [[field_path, unit] as const]));
  return {
    id,
    title,
    url: "",
    metadata: {
      complete,
      text_truncated: truncated,
      ...(cut.length === 0 ? {} : { continues: cut }),
      ...(omitted === undefined ? {} : { omitted: { count: omitted.count, read: toolCall(omitted.read) } }),
      stream: metadata.stream,
      record_id: metadata.record_id,
      connector_key: metadata.connector_key,
      connection_id: metadata.connection_id,
      ...(metadata.display_name === undefined ? {} : { display_name: metadata.display_name }),
      record_version: metadata.record_version,
      ...(metadata.event_time === undefined ? {} : { event_time: metadata.event_time }),
      emitted_at: metadata.emitted_at,
      ...(metadata.text_field === undefined ? {} : { text_field: metadata.text_field }),
      ...(whole.length === 0
        ? {}
        : { fields: Object.fromEntries(whole.map(({ field_path, value }) => [field_path, value])) }),
      ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
      ...(described.length === 0 ? {} : { described }),
    },
    text,
  };
}

export const documentText = (object: JsonObject): string => JSON.stringify(object, null, 1);
