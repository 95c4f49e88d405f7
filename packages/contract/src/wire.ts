import { z } from "zod";
import { continuation } from "./continuation.ts";
import { fieldAggregations, type Json, type JsonObject, roles } from "./manifest/declaration.ts";

/** Response schemas. Objects are open: a server may send more than a client knows. */

const warningCodes = [
  "count_downgraded",
  "source_skipped_not_applicable",
  "deprecated_alias_used",
  "limit_clamped",
  "partial_results",
  "compatibility_fallback",
  "source_unavailable",
  "mixed_units",
  "unit_not_visible",
  "words_not_found",
  "searched_also",
  "phrase_not_found",
  "words_left_out",
  "no_exact_match",
] as const;

export const warning = z.looseObject({
  code: z.enum(warningCodes),
  message: z.string(),
  param: z.string().optional(),
  detail: z.looseObject({ field: z.string().optional(), close_values: z.array(z.string()).optional() }).optional(),
  reads: z.array(continuation).optional().describe("what to read instead"),
});
export type Warning = z.infer<typeof warning>;

const links = z.looseObject({ self: z.string(), next: z.string().nullable().optional() });
const countGrade = z.looseObject({ kind: z.enum(["none", "estimated", "exact"]), value: z.int().optional() });
const recordVersion = z.looseObject({
  record_version: z.string(),
  emitted_at: z.string(),
  changed: z
    .array(z.string())
    .optional()
    .describe("fields that differ from the version before it; left out where that one is not kept"),
});
export type RecordVersion = z.infer<typeof recordVersion>;

const meta = z.looseObject({
  count: countGrade.optional(),
  warnings: z.array(warning),
  window: z
    .looseObject({ total: z.int(), earliest_at: z.string().optional(), latest_at: z.string().optional() })
    .optional(),
  versions: z.array(recordVersion).optional(),
});

const source = { connector_key: z.string(), connection_id: z.string(), connector_instance_id: z.string() };

const provenance = {
  object: z.literal("record"),
  id: z.string(),
  stream: z.string(),
  ...source,
  display_name: z.string().optional(),
  record_version: z.string(),
  emitted_at: z.string(),
};

/** Any JSON value. It came from `JSON.parse`, so a recursive schema would add nothing. */
const jsonValue = z.custom<Json>(() => true);
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
const citation = {
  citation_url: z
    .string()
    .optional()
    .describe(
      "an address for people: the owner's page of the record, with the passage that was found; it opens nothing by itself",
    ),
};

const eventTime = {
  event_time: z.union([z.string(), z.number()]).optional().describe("when it happened, as written"),
  local_time: z
    .string()
    .optional()
    .describe(
      "of a time in UTC: the same with the offset of the record's or the owner's zone; a date if it lasts all day",
    ),
};

const evidenceCard = z.looseObject({
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

export const grantedConnection = z.looseObject({ connection_id: z.string(), display_name: z.string().optional() });

const capability = z.looseObject({ declared: z.boolean(), usable: z.boolean(), reason: z.string().optional() });

export const fieldCapability = z.looseObject({
  type: z.string(),
  role: z.enum(roles).optional(),
  unit_field: z.string().optional().describe("the granted field that holds the unit of this amount"),
  granted: z.boolean(),
  schema: z.looseObject({}),
  exact_filter: capability,
  range_filter: z.looseObject({ ...capability.shape, operators: z.array(z.string()) }),
  lexical_search: capability,
  semantic_search: capability,
  aggregation: z.partialRecord(z.enum(fieldAggregations), capability),
});

const expandCapability = z.looseObject({
  name: z.string(),
  stream: z.string(),
  target_stream: z.string(),
  cardinality: z.enum(["has_many", "has_one"]),
  foreign_key: z.string(),
  granted: z.boolean(),
  usable: z.boolean(),
  reason: z.string().optional(),
  default_limit: z.int().optional(),
  max_limit: z.int().optional(),
});

const aggregations = z
  .array(z.enum(["count", ...fieldAggregations]))
  .optional()
  .describe("what aggregate can do with the stream: declared, and with a granted field");

export const streamMetadata = z.looseObject({
  object: z.literal("stream_metadata"),
  name: z.string(),
  primary_key: z.array(z.string()),
  cursor_field: z.string().nullable(),
  sortable_fields: z.array(z.string()).optional().describe("what sort takes, each with - for descending"),
  default_order: z
    .looseObject({ field: z.string().nullable(), direction: z.enum(["asc", "desc"]) })
    .optional()
    .describe("the order of a list that asks for none; a null field is the record id, which also breaks ties"),
  pagination: z.looseObject({ cursor: z.boolean(), default_limit: z.int(), max_limit: z.int() }).optional(),
  count: z.array(z.string()).optional().describe("what count takes"),
  consent_time_field: z.string().nullable(),
  semantics: z.enum(["append_only", "mutable_state"]),
  selection: z.object({ fields: z.boolean(), resources: z.boolean() }),
  schema: z.looseObject({}),
  query: z.looseObject({}),
  aggregations,
  display: z.looseObject({ label: z.string().optional() }).optional(),
  views: z.array(z.looseObject({ id: z.string(), fields: z.array(z.string()) })),
  relationships: z.array(z.looseObject({ name: z.string() })),
  freshness: z.looseObject({ status: z.string() }),
  granted_connections: z.array(grantedConnection),
  field_capabilities: z.record(z.string(), fieldCapability),
  expand_capabilities: z.array(expandCapability),
});
/** A single stream in the public envelope. The keys of `data` are repeated at the top level for older clients. */
export const singleStream = z.looseObject({
  ...streamMetadata.shape,
  connector_key: z.string().optional(),
  data: streamMetadata.omit({ object: true }).optional(),
  links: links.optional(),
  meta: meta.optional(),
});

export type StreamMetadata = z.infer<typeof streamMetadata>;
export type FieldCapability = z.infer<typeof fieldCapability>;
export type ExpandCapability = z.infer<typeof expandCapability>;

/** The compact schema omits details of expansions. */
const compactExpand = z.looseObject({
  name: z.string(),
  target_stream: z.string(),
  usable: z.boolean(),
  max_limit: z.int().optional(),
});

/** Optional here because other servers of the protocol omit it. */
const compactStream = z.looseObject({
  name: z.string(),
  display: z.looseObject({ label: z.string().optional() }).optional(),
  cursor_field: z.string().nullable().optional(),
  aggregations,
  field_capabilities: z.record(z.string(), z.string()),
  expand_capabilities: z.array(compactExpand).optional(),
  granted_connections: z.array(grantedConnection).optional(),
});
export type CompactStream = z.infer<typeof compactStream>;

const schemaHead = {
  object: z.literal("schema"),
  bearer: z.looseObject({ token_kind: z.enum(["owner", "client", "mcp_package"]) }),
};
export const connectorHead = {
  object: z.literal("connector"),
  connector_key: z.string(),
  connector_id: z.string(),
  source: z.object({ kind: z.enum(["connector", "provider_native"]), id: z.string() }),
  stream_count: z.int(),
};

export const fullSchema = z.looseObject({
  ...schemaHead,
  connectors: z.array(z.looseObject({ ...connectorHead, streams: z.array(streamMetadata) })),
});
export type FullSchema = z.infer<typeof fullSchema>;

const compactSchema = z.looseObject({
  ...schemaHead,
  detail: z.literal("compact"),
  connector_count: z.int(),
  stream_count: z.int(),
  connectors: z.array(
    z.looseObject({
      ...connectorHead,
      display_name: z.string().optional(),
      granted_connections: z.array(grantedConnection).optional(),
      streams: z.array(compactStream),
    }),
  ),
});
export type CompactSchema = z.infer<typeof compactSchema>;

export const schemaDocument = z.union([compactSchema, fullSchema]);
export type SchemaDocument = z.infer<typeof schemaDocument>;

const streamRow = z.looseObject({
  object: z.literal("stream"),
  name: z.string(),
  ...source,
  display_name: z.string().optional(),
  record_count: z.int(),
  last_updated: z.string().nullable(),
  freshness: z.looseObject({ status: z.string() }),
});

export const streamList = z.looseObject({
  object: z.literal("list"),
  data: z.array(streamRow),
  has_more: z.boolean(),
  links,
  meta,
});

export const connectorList = z.looseObject({
  object: z.literal("list"),
  data: z.array(z.looseObject(connectorHead)),
  has_more: z.boolean(),
  links,
  meta,
});

const aggregateValue = z.union([z.number(), z.string(), z.null()]);

/** A total of amounts. Mixed units have no common number, only one per unit. */
const measured = {
  value: aggregateValue.optional(),
  unit: z.string().optional().describe("the unit that all the amounts have, as their records say"),
  by_unit: z
    .array(
      z.looseObject({
        unit: z.string().nullable().describe("null: the records name none"),
        count: z.int().describe("records with an amount in this unit"),
        value: aggregateValue,
      }),
    )
    .optional()
    .describe("the amounts are in several units: the value of each, most records first; `value` is null then"),
  other_units_count: z.int().optional().describe("records with an amount in a unit that by_unit does not list"),
};

const bareAggregation = z.looseObject({
  object: z.literal("aggregation"),
  stream: z.string(),
  metric: z.string(),
  field: z.string().nullable(),
  filtered_record_count: z.int(),
  approximate: z.literal(false),
  group_by: z.string().nullable(),
  group_by_time: z.string().nullable(),
  granularity: z.string().optional(),
  time_zone: z.string().optional(),
  limit: z.int().optional().describe("groups on a page at most"),
  ...measured,
  groups: z
    .array(
      z.looseObject({
        key: z.union([z.string(), z.number(), z.boolean(), z.null()]),
        count: z.int().describe("records in the group"),
        ...measured,
      }),
    )
    .optional(),
  by_connection: z
    .array(
      z.looseObject({
        connection_id: z.string(),
        connector_key: z.string(),
        display_name: z.string().optional(),
        filtered_record_count: z.int(),
        ...measured,
      }),
    )
    .optional()
    .describe("with connection_id=*: the same for each connection that can answer"),
  other_count: z.int().optional().describe("records in groups that are neither on this page nor on one before it"),
  has_more: z.boolean().optional(),
  next_cursor: z.string().optional(),
  links,
  meta,
});

/** The public envelope. The keys of `data` are repeated at the top level for older clients. */
export const aggregation = bareAggregation.extend({
  data: bareAggregation.omit({ object: true, links: true, meta: true }).optional(),
});

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

export const blobRef = z.looseObject({
  blob_id: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
});
export type BlobRef = z.infer<typeof blobRef>;

const charRange = z.object({ start_chars: z.int(), end_chars: z.int() });

const matchEvidence = z.looseObject({
  field_path: z.string(),
  preview: z.string(),
  /** Offsets in the field, or in the preview if there is no `window`. */
  match: z.array(charRange),
  /** Our server always sends the position of the passage; others may not. */
  window: z.object({ ...charRange.shape, total_chars: z.int() }).optional(),
  truncated: z.boolean(),
  read: continuation,
});
export type MatchEvidence = z.infer<typeof matchEvidence>;

/** A value that distinguishes a hit from others, in full or truncated. */
const hitDetail = z.looseObject({
  field_path: z.string(),
  role: z.enum(roles).optional(),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
  unit: z.union([z.string(), z.number(), z.boolean()]).optional().describe("the unit of an amount"),
  truncated: z.boolean(),
});
export type HitDetail = z.infer<typeof hitDetail>;

const searchResult = z.looseObject({
  object: z.literal("search_result"),
  id: z.string().describe("connection_id/stream:record_id"),
  title: z.string(),
  ...citation,
  title_match: z
    .object({ field_path: z.string(), match: z.array(charRange) })
    .optional()
    .describe("the title's field and the matched words in it, in characters of the title"),
  title_made_from: z.enum(["time", "id"]).optional().describe("what the title was made from when none is declared"),
  details: z
    .array(hitDetail)
    .optional()
    .describe("what tells this hit apart: who, how much, where, how its text begins; by declared roles and types"),
  stream: z.string(),
  record_key: z.string(),
  ...source,
  connector_id: z.string(),
  display_name: z.string().optional(),
  record_version: z.string(),
  ...eventTime,
  emitted_at: z.string(),
  matched_fields: z.array(z.string()),
  record_url: z.string(),
  beside: z
    .array(z.looseObject({ words: z.array(z.string()), id: z.string() }))
    .optional()
    .describe("words found not in this record but in a neighbouring one of the same conversation"),
  reply: z
    .looseObject({
      id: z.string(),
      details: z.array(hitDetail),
      field_path: z.string(),
      preview: z.string(),
      truncated: z.boolean(),
      read: continuation,
    })
    .optional()
    .describe(
      "what was answered, where the hit is a question in a conversation: how the next turn by somebody else begins",
    ),
  similar: z
    .looseObject({
      count: z.int(),
      event_times: z.array(z.union([z.string(), z.number()])),
      read: continuation,
    })
    .optional()
    .describe("further hits that show the same but for their time; `read` lists such records"),
  score: z.looseObject({ kind: z.literal("bm25"), value: z.number(), order: z.literal("higher_is_better") }).optional(),
  evidence: z.array(matchEvidence),
  card: evidenceCard.optional(),
  evidence_excerpts: z.array(
    z.looseObject({ object: z.literal("evidence_excerpt"), field_path: z.string(), preview_text: z.string() }),
  ),
});
export type SearchResult = z.infer<typeof searchResult>;

const hitSpread = z.looseObject({
  sources: z.array(z.looseObject({ connection_id: z.string(), stream: z.string(), count: z.int() })),
  granularity: z.enum(["year", "month", "day"]),
  times: z
    .array(z.looseObject({ since: z.string(), until: z.string(), count: z.int() }))
    .describe("the periods in UTC that have hits, earliest first; the last 200 of them"),
  earlier_count: z.int().describe("hits before those periods"),
  without_time: z.int().describe("hits without a granted time that since and until could filter by"),
  counted: z.int().describe("hits whose times were counted: all of them, or an even sample of very many"),
});
export type HitSpread = z.infer<typeof hitSpread>;

export const searchList = z.looseObject({
  object: z.literal("list"),
  data: z.array(searchResult),
  has_more: z.boolean(),
  next_cursor: z.string().optional(),
  links,
  meta: z.looseObject({
    count: z.int(),
    count_accuracy: z.enum(["exact", "lower_bound"]),
    match: z.looseObject({ mode: z.enum(["words", "question"]), all: z.int(), most: z.int(), any: z.int() }),
    recall: z.looseObject({
      complete: z.boolean(),
      ranking_scope: z
        .enum(["all_matches", "candidate_window", "unknown"])
        .describe("unknown: a server of another make did not say"),
      truncated: z.boolean(),
      ranked_candidate_count: z.int(),
      candidate_window_limit: z.int(),
      sources_searched_count: z.int(),
    }),
    first_fetch_id: z.string().optional().describe("the id of the first hit, as fetch takes it"),
    spread: hitSpread.optional(),
    warnings: z.array(warning),
  }),
});
export type SearchList = z.infer<typeof searchList>;

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

export const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string(), code: z.string(), message: z.string(), request_id: z.string().optional() }),
});

export type WireRecord = z.infer<typeof record>;
export type WireTombstone = z.infer<typeof tombstone>;
export type RecordList = z.infer<typeof recordList>;
export type SingleRecord = z.infer<typeof singleRecord>;
export type SingleCard = z.infer<typeof singleCard>;
export type StreamList = z.infer<typeof streamList>;
export type ConnectorList = z.infer<typeof connectorList>;
export type Aggregation = z.infer<typeof aggregation>;
export type Measured = Pick<Aggregation, keyof typeof measured>;
