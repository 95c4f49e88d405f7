import type {
  FieldAggregation,
  FieldKind,
  Json,
  JsonObject,
  Presentation,
  RangeOperator,
  Role,
} from "@pdpp/contract/declaration";
import type { GrantRequest } from "@pdpp/contract/grant";

/** A vault as plain data: declarations, connections, and every write in order. */

export interface FieldSpec {
  readonly name: string;
  readonly kind: FieldKind;
  /** The value may be null. */
  readonly nullable: boolean;
  readonly required: boolean;
  readonly blob: boolean;
  readonly range: readonly RangeOperator[];
  readonly aggregations: readonly FieldAggregation[];
  /** Holds keys of this stream. */
  readonly refersTo?: string;
  readonly role?: Role;
  /** Searchable. */
  readonly lexical?: boolean;
  /** The field with this number's unit. */
  readonly unit?: string;
  /** Declared to hold base64. */
  readonly encoding?: string;
}

export interface RelationshipSpec {
  readonly name: string;
  readonly stream: string;
  readonly foreignKey: string;
  readonly cardinality: "has_many" | "has_one";
  /** Which of the two streams has the foreign key. */
  readonly holder: "this" | "related";
  readonly expand: { readonly default_limit?: number; readonly max_limit?: number } | null;
}

export interface StreamSpec {
  readonly name: string;
  readonly semantics: "append_only" | "mutable_state";
  readonly primaryKey: readonly string[];
  readonly fields: readonly FieldSpec[];
  readonly cursorField?: string;
  readonly consentTimeField?: string;
  readonly views: readonly { readonly id: string; readonly fields: readonly string[] }[];
  readonly relationships: readonly RelationshipSpec[];
  readonly countable: boolean;
  readonly presentation?: Pick<Presentation, "kind" | "fields">;
}

export interface ConnectorSpec {
  readonly key: string;
  readonly streams: readonly StreamSpec[];
}

export interface ConnectionSpec {
  readonly id: string;
  readonly connectorKey: string;
  readonly label?: string;
}

export interface Write {
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly stream: string;
  readonly op: "upsert" | "delete";
  readonly key: string;
  readonly data: JsonObject;
  readonly emittedAt?: string;
}

export interface BlobSpec {
  readonly ref: { blob_id: string; mime_type: string; size_bytes: number; sha256: string };
  readonly bytes: Uint8Array;
}

export interface VaultSpec {
  readonly connectors: readonly ConnectorSpec[];
  readonly connections: readonly ConnectionSpec[];
  readonly blobs: readonly BlobSpec[];
  /** The first batch fills the vault, the others arrive while clients read. */
  readonly writes: readonly (readonly Write[])[];
}

export type { GrantRequest };
export type Value = Json | undefined;

export const findStreamSpec = (vault: VaultSpec, connectorKey: string, name: string): StreamSpec =>
  vault.connectors.find(({ key }) => key === connectorKey)!.streams.find((stream) => stream.name === name)!;

export const findFieldSpec = (stream: StreamSpec, name: string): FieldSpec | undefined =>
  stream.fields.find((field) => field.name === name);

/** The manifest a person would have written. */
export function buildManifest(connector: ConnectorSpec): JsonObject {
  return {
    connector_key: connector.key,
    connector_id: `https://connectors.example/${connector.key}`,
    version: "1.0.0",
    display_name: `Connector ${connector.key}`,
    streams: connector.streams.map(buildStreamManifest),
  } as JsonObject;
}

const named = (stream: StreamSpec, kind: FieldAggregation): string[] =>
  stream.fields.filter(({ aggregations }) => aggregations.includes(kind)).map(({ name }) => name);

function buildStreamManifest(stream: StreamSpec): JsonObject {
  const searched = stream.fields.filter(({ lexical }) => lexical).map(({ name }) => name);
  const ranges = stream.fields.filter(({ range }) => range.length > 0).map(({ name, range }) => [name, [...range]]);
  return {
    name: stream.name,
    semantics: stream.semantics,
    primary_key: [...stream.primaryKey],
    ...(stream.presentation === undefined
      ? {}
      : { presentation: { kind: stream.presentation.kind, fields: { ...stream.presentation.fields } } }),
    ...(stream.cursorField === undefined ? {} : { cursor_field: stream.cursorField }),
    ...(stream.consentTimeField === undefined ? {} : { consent_time_field: stream.consentTimeField }),
    schema: {
      type: "object",
      properties: Object.fromEntries(stream.fields.map((field) => [field.name, buildSchema(field)])),
      required: stream.fields.filter(({ required }) => required).map(({ name }) => name),
    },
    views: stream.views.map(({ id, fields }) => ({ id, fields: [...fields] })),
    relationships: stream.relationships.map(({ name, stream: target, foreignKey, cardinality }) => ({
      name,
      stream: target,
      foreign_key: foreignKey,
      cardinality,
    })),
    query: {
      ...(searched.length === 0 ? {} : { search: { lexical_fields: searched } }),
      range_filters: Object.fromEntries(ranges),
      aggregations: {
        count: stream.countable,
        sum: named(stream, "sum"),
        min: named(stream, "min"),
        max: named(stream, "max"),
        group_by: named(stream, "group_by"),
        group_by_time: named(stream, "group_by_time"),
        count_distinct: named(stream, "count_distinct"),
      },
      expand: stream.relationships.flatMap(({ name, expand }) => (expand === null ? [] : [{ name, ...expand }])),
    },
  } as JsonObject;
}

function buildSchema({ kind, nullable, blob, role, encoding, unit }: FieldSpec): JsonObject {
  const tagged: JsonObject = {
    ...(blob ? { x_pdpp_type: "blob" } : {}),
    ...(role === undefined ? {} : { x_pdpp_role: role }),
    ...(encoding === undefined ? {} : { contentEncoding: encoding }),
    ...(unit === undefined ? {} : { x_pdpp_unit_field: unit }),
  };
  const typed = (type: string): JsonObject => ({ type: nullable ? [type, "null"] : type, ...tagged });
  switch (kind) {
    case "json":
      return tagged;
    case "text":
      return typed("string");
    case "date":
    case "date-time":
      return { ...typed("string"), format: kind };
    default:
      return typed(kind);
  }
}
