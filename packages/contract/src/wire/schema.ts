import { z } from "zod";
import { fieldAggregations, roles } from "../manifest/declaration.ts";
import { freshness, grantedConnection, links, meta, source } from "./envelope.ts";

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
  freshness,
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
  freshness,
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
export type StreamList = z.infer<typeof streamList>;
export type ConnectorList = z.infer<typeof connectorList>;
