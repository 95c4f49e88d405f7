import { z } from "zod";
import { continuation } from "../continuation.ts";
import { type JsonObject, roles } from "../manifest/declaration.ts";
import { citation, eventTime, jsonValue, links, meta, source } from "./envelope.ts";

const provenance = {
  object: z.literal("record"),
  id: z.string(),
  stream: z.string(),
  ...source,
  display_name: z.string().optional(),
  record_version: z.string(),
  emitted_at: z.string(),
};

const recordData = z.custom<JsonObject>((value) => typeof value === "object").meta({ type: "object" });

const liveRecord = z.looseObject({ ...provenance, data: recordData });

const presentationHead = { field_path: z.string(), type: z.string(), role: z.enum(roles).optional() };

const blobDescription = z.looseObject({
  blob_id: z.string(),
  mime_type: z.string().optional(),
  size_bytes: z.number().optional(),
  sha256: z.string().optional(),
  read: continuation,
  text: continuation.optional(),
});
export type BlobDescription = z.infer<typeof blobDescription>;

/** A value, whole or described, with the read that returns the rest. */
const fieldPresentation = z.discriminatedUnion("shown", [
  z.looseObject({
    ...presentationHead,
    shown: z.literal("inline"),
    value: jsonValue,
    /** The unit of an amount, from the record's unit field. */
    unit: jsonValue.optional(),
    /** The card already shows it: in its title, time or id, or as the unit of an amount. */
    repeats: z.literal(true).optional(),
  }),
  z.looseObject({
    ...presentationHead,
    shown: z.literal("preview"),
    format: z.enum(["text", "json"]),
    preview: z.string(),
    window: z.object({ start_chars: z.int(), end_chars: z.int(), total_chars: z.int() }),
    items: z
      .object({ shown: z.int(), total: z.int() })
      .optional()
      .describe("of a list or an object: how many items the preview has whole, and how many there are"),
    truncated: z.literal(true),
    read: continuation,
  }),
  z.looseObject({
    ...presentationHead,
    shown: z.literal("blob"),
    references: z.array(blobDescription),
    read: continuation.optional(),
  }),
  z.looseObject({
    ...presentationHead,
    shown: z.literal("encoded"),
    encoding: z.string(),
    media_type: z.string().optional(),
    total_chars: z.int(),
    read: continuation,
  }),
]);
export type FieldPresentation = z.infer<typeof fieldPresentation>;

/** A bounded presentation of a record; `view=evidence` returns it instead of the record. */
export const evidenceCard = z.looseObject({
  object: z.literal("evidence_card"),
  id: z.string().describe("connection_id/stream:record_id"),
  record_id: z.string(),
  stream: z.string(),
  connector_key: z.string(),
  connection_id: z.string(),
  record_version: z.string(),
  emitted_at: z.string(),
  title: z.string(),
  ...citation,
  complete: z.boolean(),
  display_name: z.string().optional(),
  ...eventTime,
  slots: z.partialRecord(z.enum(roles), z.array(fieldPresentation)),
  fields: z.array(fieldPresentation),
  omitted: z.object({ count: z.int(), read: continuation }).optional(),
});
export type EvidenceCard = z.infer<typeof evidenceCard>;

const expansions = z.record(
  z.string(),
  z.union([
    z.null(),
    liveRecord,
    evidenceCard,
    z.looseObject({
      object: z.literal("list"),
      data: z.array(z.union([liveRecord, evidenceCard])),
      has_more: z.boolean(),
      next: continuation.optional(),
    }),
  ]),
);

/** A relationship with related records inside the grant. */
const relatedLink = z.looseObject({
  relationship: z.string(),
  stream: z.string(),
  count: z.int(),
  has_more: z.literal(true).optional().describe("there are more than `count`"),
  read: continuation.describe("lists them, or fetches the one"),
});
export type RelatedLink = z.infer<typeof relatedLink>;

const related = z.array(relatedLink).optional().describe("where the record leads; not with fields or a declared view");
export type Expanded = z.infer<typeof expansions>;

export const record = z.looseObject({ ...provenance, data: recordData, expanded: expansions.optional() });

const tombstone = z.looseObject({ ...provenance, deleted: z.literal(true), deleted_at: z.string() });

const documentPart = z.looseObject({
  field_path: z.string(),
  window: z.object({ start_chars: z.int(), end_chars: z.int(), total_chars: z.int() }),
  read: continuation.optional(),
});
export type DocumentPart = z.infer<typeof documentPart>;

/** A record as readable text; `view=document` returns it instead of the record. */
const recordDocument = z.looseObject({
  object: z.literal("record_document"),
  id: z.string().describe("connection_id/stream:record_id"),
  title: z.string(),
  ...citation,
  text: z.string(),
  metadata: z.looseObject({
    stream: z.string(),
    record_id: z.string(),
    connector_key: z.string(),
    connection_id: z.string(),
    record_version: z.string(),
    emitted_at: z.string(),
    display_name: z.string().optional(),
    ...eventTime,
    complete: z.boolean(),
    text_field: z.string().optional().describe("the text is this field's; otherwise it has a line for each field"),
    truncated: z.boolean(),
    parts: z.array(documentPart),
    fields: z.array(fieldPresentation),
    omitted: z.object({ count: z.int(), read: continuation }).optional(),
  }),
  related: z.array(relatedLink).optional(),
  expanded: expansions.optional(),
});
export type RecordDocument = z.infer<typeof recordDocument>;

export const recordList = z.looseObject({
  object: z.literal("list"),
  data: z.array(
    z.union([record, tombstone, z.looseObject({ ...evidenceCard.shape, expanded: expansions.optional() })]),
  ),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
  next_changes_since: z.string().optional(),
  links,
  meta,
});

const singleRecord = z.looseObject({ ...record.shape, related, links, meta });

const singleCard = z.looseObject({ ...evidenceCard.shape, expanded: expansions.optional(), related, links, meta });

const singleDocument = z.looseObject({ ...recordDocument.shape, links, meta });

export const singleItem = z.discriminatedUnion("object", [singleRecord, singleCard, singleDocument]);
export type SingleItem = z.infer<typeof singleItem>;

export const ingestReport = z.looseObject({
  stream: z.string(),
  connection_id: z.string(),
  records_attempted: z.int(),
  records_accepted: z.int(),
  records_unchanged: z.int(),
  records_rejected: z.int(),
  rejections: z.array(z.looseObject({ input_index: z.int(), line: z.int(), code: z.string(), reason: z.string() })),
  rejections_truncated: z.boolean(),
  /** Values that were stored although they are not valid dates. */
  notes: z.array(z.looseObject({ input_index: z.int(), line: z.int(), field: z.string(), reason: z.string() })),
  notes_truncated: z.boolean(),
});
export type IngestReport = z.infer<typeof ingestReport>;

/** The result of a push. */
export const pushReport = z.looseObject({
  object: z.literal("push"),
  connection_id: z.string(),
  records_accepted: z.int(),
  records_unchanged: z.int(),
  records_rejected: z.int(),
  rejections: z.array(z.looseObject({ input_index: z.int(), code: z.string(), reason: z.string() })),
});
export type PushReport = z.infer<typeof pushReport>;

export const blobRef = z.looseObject({
  blob_id: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
});
export type BlobRef = z.infer<typeof blobRef>;

const chars = z.int().min(0);

const charSpan = z.object({ start_chars: chars, end_chars: chars });

export const fieldWindow = z.looseObject({
  object: z.literal("field_window"),
  stream: z.string(),
  record_id: z.string(),
  ...source,
  display_name: z.string().optional(),
  record_version: z.string(),
  ...eventTime,
  emitted_at: z.string(),
  url: z.string(),
  field: z.looseObject({
    path: z.string(),
    type: z.enum(["string", "number", "boolean", "null", "object", "array"]),
    blob_id: z.string().optional().describe("the text is that of this blob"),
    media_type: z.string().optional(),
    reduced: z
      .literal(true)
      .optional()
      .describe("the text was taken out of HTML or a document; offsets count in what is left"),
  }),
  /** Half-open, in code points of the text. */
  window: z.looseObject({
    text: z.string(),
    start_chars: chars,
    end_chars: chars,
    limit_chars: chars,
    total_chars: chars,
    complete: z.boolean(),
    has_more: z.boolean(),
    next_offset_chars: chars.nullable(),
    previous_offset_chars: chars.nullable(),
    match_start_chars: chars.nullable(),
    match_end_chars: chars.nullable(),
    next_cursor: z.string().nullable(),
    previous_cursor: z.string().nullable(),
    /** Ranges of base64 and similar encodings. */
    encoded: z.array(charSpan).optional(),
    /** With max_chars: encoded ranges omitted directly before and after the window. */
    not_shown: z.array(charSpan).optional(),
  }),
  bytes: continuation.optional(),
  /** The first blobs the value refers to, with the reads of their bytes and text. */
  blobs: z.array(blobDescription).optional(),
  next: continuation.nullable(),
  previous: continuation.nullable(),
  links: z.looseObject({ ...links.shape, previous: z.string().nullable() }),
  meta,
});
export type FieldWindow = z.infer<typeof fieldWindow>;
export type WireRecord = z.infer<typeof record>;
export type WireTombstone = z.infer<typeof tombstone>;
export type RecordList = z.infer<typeof recordList>;
export type SingleRecord = z.infer<typeof singleRecord>;
export type SingleCard = z.infer<typeof singleCard>;
