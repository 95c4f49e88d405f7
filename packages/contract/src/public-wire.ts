import { z } from "zod";
import type { JsonObject } from "./manifest/declaration.ts";
import * as wire from "./wire.ts";

/**
 * Responses of the public protocol as a client reads them: what every implementation sends, with defaults where they
 * are harmless. `wire.ts` has the responses of our own server.
 */

const links = z.looseObject({ self: z.string().default(""), next: z.string().nullish() }).default({ self: "" });
const warnings = z.array(wire.warning).catch([]);
const meta = z.looseObject({ warnings }).default({ warnings: [] });
const list = { object: z.literal("list"), has_more: z.boolean().default(false), links };

const source = { connection_id: z.string(), display_name: z.string().optional() };

const data = z.custom<JsonObject>((value) => typeof value === "object" && value !== null && !Array.isArray(value));
const identity = { object: z.literal("record"), id: z.string(), stream: z.string(), ...source, emitted_at: z.string() };
const record = z.looseObject({ ...identity, connector_key: z.string().optional(), data });
const tombstone = z.looseObject({ ...identity, deleted: z.literal(true), deleted_at: z.string() });
const related = z.union([z.null(), record, z.looseObject({ ...list, data: z.array(record) })]);
const recordWithRelated = record.extend({ expanded: z.record(z.string(), related).optional() });

export const publicRecord = recordWithRelated.extend({ links, meta });
export type PublicRecord = z.infer<typeof recordWithRelated>;
export type PublicTombstone = z.infer<typeof tombstone>;

const countGrade = z.looseObject({ kind: z.enum(["none", "estimated", "exact"]), value: z.int().optional() });

export const publicRecordList = z.looseObject({
  ...list,
  data: z.array(z.union([recordWithRelated, tombstone])),
  next_cursor: z.string().optional(),
  next_changes_since: z.string().optional(),
  meta: z.looseObject({ warnings, count: countGrade.optional() }).default({ warnings: [] }),
});

const hit = z.looseObject({
  object: z.literal("search_result"),
  stream: z.string(),
  record_key: z.string(),
  connector_id: z.string().default(""),
  ...source,
  emitted_at: z.string(),
  authored_at: z.string().nullish(),
  matched_fields: z.array(z.string()).default([]),
  snippet: z.looseObject({ field: z.string(), text: z.string() }).nullish(),
  evidence_excerpts: z.array(z.looseObject({ field_path: z.string(), preview_text: z.string() })).default([]),
});
export type PublicHit = z.infer<typeof hit>;

export const publicSearchList = z.looseObject({
  ...list,
  data: z.array(hit),
  next_cursor: z.string().optional(),
  meta: z
    .looseObject({
      count: z.int().nullish(),
      count_accuracy: z.string().optional(),
      recall: z.looseObject({ complete: z.boolean(), ranked_candidate_count: z.int().optional() }).optional(),
      warnings,
    })
    .default({ warnings: [] }),
});
export type PublicSearchList = z.infer<typeof publicSearchList>;

const chars = z.int().min(0);

export const publicFieldWindow = z.looseObject({
  object: z.literal("field_window"),
  stream: z.string(),
  record_id: z.string(),
  url: z.string().default(""),
  field: z.looseObject({ path: z.string(), type: wire.fieldWindow.shape.field.shape.type.optional() }),
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
    match_start_chars: chars.nullable().default(null),
    match_end_chars: chars.nullable().default(null),
  }),
  links,
  meta,
});
export type PublicFieldWindow = z.infer<typeof publicFieldWindow>;

/** A capability the server does not mention counts as neither declared nor usable. */
const undeclared = { declared: false, usable: false };
const capability = z.looseObject({ declared: z.boolean(), usable: z.boolean() }).default(undeclared);

const fieldCapability = z.looseObject({
  ...wire.fieldCapability.shape,
  type: z.string().default("json"),
  role: wire.fieldCapability.shape.role.catch(undefined),
  granted: z.boolean().default(true),
  schema: data.default({}),
  exact_filter: capability,
  range_filter: z
    .looseObject({ declared: z.boolean(), usable: z.boolean(), operators: z.array(z.string()).default([]) })
    .default({ ...undeclared, operators: [] }),
  lexical_search: capability,
  semantic_search: capability,
  aggregation: wire.fieldCapability.shape.aggregation.catch({}),
});

const publicStream = z.looseObject({
  ...wire.streamMetadata.shape,
  cursor_field: z
    .string()
    .nullish()
    .transform((name) => name ?? null),
  consent_time_field: z
    .string()
    .nullish()
    .transform((name) => name ?? null),
  views: wire.streamMetadata.shape.views.default([]),
  relationships: wire.streamMetadata.shape.relationships.default([]),
  freshness: wire.streamMetadata.shape.freshness.default({ status: "unknown" }),
  granted_connections: wire.streamMetadata.shape.granted_connections.default([]),
  field_capabilities: z.record(z.string(), fieldCapability),
  expand_capabilities: wire.streamMetadata.shape.expand_capabilities.default([]),
});
export type PublicStream = z.infer<typeof publicStream>;

const connector = {
  object: z.literal("connector"),
  connector_key: z.string(),
  connector_id: z.string(),
  source: wire.connectorHead.source.catch({ kind: "connector", id: "" }),
  stream_count: z.int().default(0),
};
const schema = { object: z.literal("schema"), bearer: wire.fullSchema.shape.bearer };

export const publicFullSchema = z.looseObject({
  ...schema,
  connectors: z.array(z.looseObject({ ...connector, streams: z.array(publicStream) })),
});
export type PublicFullSchema = z.infer<typeof publicFullSchema>;

const compactStream = z.looseObject({
  name: z.string(),
  field_capabilities: z.record(z.string(), z.string()).default({}),
  granted_connections: z.array(wire.grantedConnection).optional(),
});

export const publicCompactSchema = z.looseObject({
  ...schema,
  detail: z.literal("compact"),
  connector_count: z.int(),
  stream_count: z.int(),
  connectors: z.array(
    z.looseObject({
      ...connector,
      granted_connections: z.array(wire.grantedConnection).default([]),
      streams: z.array(compactStream),
    }),
  ),
});

export const publicStreamList = z.looseObject({
  ...list,
  data: z.array(
    z.looseObject({
      object: z.literal("stream"),
      name: z.string(),
      ...source,
      record_count: z.int().default(0),
      last_updated: z
        .string()
        .nullish()
        .transform((time) => time ?? null),
      freshness: wire.freshness.default({ status: "unknown" }),
    }),
  ),
  meta,
});

/** Turns null into undefined. */
const acceptNull = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

/**
 * A server may send the keys of a single result only in `data`, as the newest protocol text does, or at the top
 * level.
 */
const unwrapData = (answer: unknown): unknown => {
  const parsed = z.looseObject({ data: z.looseObject({}) }).safeParse(answer);
  if (!parsed.success) return answer;
  const { data: inner, ...top } = parsed.data;
  return { ...inner, ...top };
};

export const publicSingleStream = z.preprocess(unwrapData, publicStream);

export const publicAggregation = z.preprocess(
  unwrapData,
  wire.aggregation.extend({
    granularity: acceptNull(z.string()),
    time_zone: acceptNull(z.string()),
    limit: acceptNull(z.int()),
    links,
    meta,
  }),
);

/** The part of a server's public metadata that we use. */
export const publicMetadata = z.looseObject({
  capabilities: z.looseObject({ evidence: z.looseObject({ supported: z.boolean() }).optional() }).optional(),
});
