import type { JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { RecordDocument } from "@pdpp/contract/wire";
import { budget } from "../budget.ts";
import { recordDocument } from "../document.ts";
import type { EvidenceRecord } from "../record.ts";
import { toolCall } from "./call.ts";
import { fieldObject } from "./field.ts";
import { holds, sizeOf } from "./size.ts";

/** A document as a tool gives it: five keys, the same in both forms. What matters of the metadata comes before the text. */
export function documentObject({ id, title, text, metadata }: RecordDocument): JsonObject {
  const { complete, truncated, parts, fields, omitted } = metadata;
  const cut = parts.flatMap(({ field_path, window, read }) =>
    read === undefined ? [] : [{ field_path, window, read: toolCall(read) }],
  );
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => fieldObject(field));
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
      ...(metadata.local_time === undefined ? {} : { local_time: metadata.local_time }),
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

type Asked = Pick<Input<"fetch">, "limit_chars" | "max_chars" | "after_field" | "fields">;

/** The document that was asked for, shortened until it fits into `max_chars` of a tool's result. */
export function fittingDocument(record: EvidenceRecord, asked: Asked): RecordDocument {
  const { limit_chars: limit, max_chars: most, after_field: after, fields } = asked;
  let chars = Math.min(limit ?? budget.document.chars, budget.window.mostChars);
  for (;;) {
    const document = recordDocument(record, { chars, after, fields });
    if (most === undefined || chars <= leastChars || documentFits(document, most)) return document;
    chars = Math.max(leastChars, Math.floor(chars * 0.8));
  }
}

/** When even this little does not fit, it is not the text that takes the room. */
const leastChars = 64;

/** A document is the same in both forms of a tool's result. */
function documentFits(document: RecordDocument, most: number): boolean {
  const object = documentObject(document);
  return holds(sizeOf({ lines: [documentText(object)], objects: [object] }), most);
}
