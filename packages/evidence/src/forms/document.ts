import type { JsonObject } from "@pdpp/contract/declaration";
import type { Input } from "@pdpp/contract/operations";
import type { RecordDocument, RelatedLink } from "@pdpp/contract/wire";
import type { EvidenceRecord } from "../cards/record.ts";
import { recordDocument } from "../documents/document.ts";
import { budget } from "../sizes/budget.ts";
import { escapeControls, toolCall } from "./call.ts";
import { expandedForm } from "./card.ts";
import { firstOfEach, type ListAll, longestOf } from "./expanded.ts";
import { fieldObject } from "./field.ts";
import { holds, mostFitting, sizeOf } from "./size.ts";

/**
 * A document as a tool gives it: five keys, the same in both forms. The text comes first, because it was asked for. When it is not
 * all, what leads to the rest comes first: a host may show no more than the beginning of a result.
 */
export function documentObject(document: RecordDocument): JsonObject {
  const { id, title, text, citation_url: url = "", metadata, related = [], expanded } = document;
  const { complete, truncated, parts, fields, omitted } = metadata;
  const cut = parts.flatMap(({ field_path, window, read }) =>
    read === undefined ? [] : [{ field_path, window, read: toolCall(read) }],
  );
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => fieldObject(field));
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
      ...(omitted === undefined ? {} : { omitted: { count: omitted.count, read: toolCall(omitted.read) } }),
      ...(related.length === 0 ? {} : { related: related.map(linkObject) }),
      ...expandedForm(expanded).object,
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

export const documentText = (object: JsonObject): string => escapeControls(JSON.stringify(object));

/** A relationship with content. Its stream is in the call. */
const linkObject = ({ relationship, count, has_more: more, read }: RelatedLink): JsonObject => ({
  relationship,
  count,
  ...(more === undefined ? {} : { has_more: more }),
  read: toolCall(read),
});

/** What comes with a record: where it leads, the page that people open, and the related records that were asked for. */
export interface DocumentLeads extends Pick<RecordDocument, "related" | "expanded" | "citation_url"> {
  readonly listAll?: ListAll;
}

type Asked = Pick<Input<"fetch">, "limit_chars" | "max_chars" | "after_field" | "fields">;

/** The document that was asked for, shortened until it fits into `max_chars` of a tool's result. */
export function fittingDocument(record: EvidenceRecord, asked: Asked, leads: DocumentLeads = {}): RecordDocument {
  const { limit_chars: limit, max_chars: most, after_field: after, fields } = asked;
  const { citation_url: url } = leads;
  const cited = url === undefined ? {} : { citation_url: url };
  const brought = { ...cited, ...fittingLinks(leads, most), ...fittingExpanded(leads, most) };
  let chars = Math.min(limit ?? budget.document.chars, budget.window.mostChars);
  for (;;) {
    const document = { ...recordDocument(record, { chars, after, fields }), ...brought };
    if (most === undefined || chars <= leastChars || documentFits(document, most)) return document;
    chars = Math.max(leastChars, Math.floor(chars * 0.8));
  }
}

/** The key of a record is in every link, and may be long: links take a quarter of the room, but for the first. */
function fittingLinks({ related = [] }: DocumentLeads, most: number | undefined): Pick<RecordDocument, "related"> {
  if (related.length === 0) return {};
  if (most === undefined) return { related };
  let used = 0;
  const end = related.findIndex((link) => {
    used += 2 * JSON.stringify(linkObject(link)).length;
    return used > most / 4;
  });
  return { related: end < 0 ? related : related.slice(0, Math.max(1, end)) };
}

/** Related records that were asked for take half of the room; of more there are the first, and the call for all. */
function fittingExpanded(leads: DocumentLeads, most: number | undefined): Pick<RecordDocument, "expanded"> {
  const { expanded, listAll = () => undefined } = leads;
  if (expanded === undefined) return {};
  if (most === undefined) return { expanded };
  const first = (count: number) => firstOfEach(expanded, count, listAll);
  const fits = (count: number): boolean => {
    const object = expandedForm(first(count)).object as JsonObject;
    return holds(sizeOf({ lines: [documentText(object)], objects: [object] }), most / 2);
  };
  const count = mostFitting(longestOf(expanded), fits);
  return { expanded: first(fits(count) ? count : 0) };
}

/** When even this little does not fit, it is not the text that takes the room. */
const leastChars = 64;

/** A document is the same in both forms of a tool's result. */
function documentFits(document: RecordDocument, most: number): boolean {
  const object = documentObject(document);
  return holds(sizeOf({ lines: [documentText(object)], objects: [object] }), most);
}
