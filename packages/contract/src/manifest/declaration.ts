/**
 * A connector's manifest, normalized: the model that storage, grants, reads and presentation use. `manifest.ts`
 * builds it from JSON.
 */

export const roles = [
  "primary-title",
  "secondary",
  "event-time",
  "actor",
  "amount",
  "body",
  "media",
  "blob-reference",
] as const;
export type Role = (typeof roles)[number];

export const rangeOperators = ["gte", "gt", "lte", "lt"] as const;
export type RangeOperator = (typeof rangeOperators)[number];

export const fieldAggregations = ["sum", "min", "max", "group_by", "group_by_time", "count_distinct"] as const;
export type FieldAggregation = (typeof fieldAggregations)[number];

/** A field with exactly one non-null scalar type has that kind; everything else (arrays, objects, unions) is `json`. */
export type FieldKind = "text" | "integer" | "number" | "boolean" | "date" | "date-time" | "json";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface FieldDeclaration {
  readonly name: string;
  readonly kind: FieldKind;
  readonly nullable: boolean;
  /** `x_pdpp_type`: what a value is; an open vocabulary. */
  readonly type?: string;
  readonly role?: Role;
  /** `x_pdpp_unit_field`: the field of the same stream that holds the unit of this amount, such as its currency. */
  readonly unitField?: string;
  /** Declared to hold blob references: named `blob_ref`, or of role `blob-reference`, or of type `blob`. */
  readonly blob: boolean;
  readonly rangeOperators: readonly RangeOperator[];
  readonly lexical: boolean;
  /** `query.search.blob_text_fields`: the text of its blobs is searched. */
  readonly blobText?: true;
  readonly semantic: boolean;
  readonly aggregations: readonly FieldAggregation[];
  readonly schema: JsonObject;
}

export interface Relationship {
  readonly name: string;
  /** The related stream, of the same connector. */
  readonly stream: string;
  /** The field that holds the other record's key. `findForeignKeyHolder` decides which of the two streams has it. */
  readonly foreignKey: string;
  readonly cardinality: "has_many" | "has_one";
  /** Present when the stream's `query.expand` names the relationship. Limits are 1 for has_one. */
  readonly expand?: { readonly defaultLimit: number; readonly maxLimit: number };
}

/** The kind of records in a stream, so that people see a chat as a chat and a photo as a photo. */
export const streamKinds = [
  "conversation",
  "mail",
  "event",
  "photo",
  "place",
  "track",
  "transaction",
  "document",
  "person",
] as const;
export type StreamKind = (typeof streamKinds)[number];

/** Parts of a record that no role describes, with the kinds of fields that can hold them. */
export const presentationParts = {
  /** Identifies a mail thread. A conversation has `query.search.context`. */
  thread: ["text"],
  address: ["text"],
  recipients: ["text", "json"],
  copies: ["text", "json"],
  html: ["json"],
  labels: ["text", "json"],
  reactions: ["json"],
  /** Names of attached files, for records without related ones. */
  attachments: ["json"],
  /** Names a file within the HTML of the mail that it belongs to. */
  content_id: ["text"],
  end: ["date", "date-time"],
  all_day: ["boolean"],
  place: ["text"],
  people: ["text", "json"],
  /** A rule of RFC 5545, or an object with its parts. */
  recurrence: ["text", "json"],
  /** Identifies the occurrences of one recurring event. */
  series: ["text"],
  status: ["text"],
  latitude: ["integer", "number"],
  longitude: ["integer", "number"],
  /** A list of points, each a list that starts with latitude and longitude. */
  line: ["json"],
  /** Metres above sea level at each point of the line. */
  line_heights: ["json"],
  /** Seconds since the start at each point of the line. */
  line_seconds: ["json"],
  /** Points of the line, counted from 0, before which nothing was recorded. */
  line_gaps: ["json"],
  /** Where a track without a line ended. */
  end_latitude: ["integer", "number"],
  end_longitude: ["integer", "number"],
  distance: ["integer", "number"],
  duration: ["integer", "number"],
  ascent: ["integer", "number"],
  media_type: ["text"],
  size: ["integer", "number"],
  payee: ["text"],
  account: ["text"],
  category: ["text"],
  names: ["text", "json"],
  emails: ["text", "json"],
  phones: ["text", "json"],
} as const satisfies Record<string, readonly FieldKind[]>;
export type PresentationPart = keyof typeof presentationParts;

/** Records whose field has one of the values. */
export interface FieldValues {
  readonly field: string;
  readonly values: readonly (string | boolean)[];
}

export interface Presentation {
  readonly kind: StreamKind;
  readonly fields: { readonly [part in PresentationPart]?: string };
  /** Records that the owner wrote. */
  readonly own?: FieldValues;
}

export interface StreamDeclaration {
  readonly name: string;
  readonly semantics: "append_only" | "mutable_state";
  readonly primaryKey: readonly string[];
  readonly cursorField?: string;
  readonly consentTimeField?: string;
  readonly description?: string;
  readonly display?: { readonly label?: string; readonly detail?: string };
  readonly selection: { readonly fields: boolean; readonly resources: boolean };
  /** Top-level properties of the schema, in declared order. */
  readonly fields: readonly FieldDeclaration[];
  readonly views: readonly { readonly id: string; readonly label?: string; readonly fields: readonly string[] }[];
  readonly relationships: readonly Relationship[];
  /** Records are turns of a conversation: `by` orders them, `within` identifies the conversation. */
  readonly conversation?: { readonly within?: string; readonly by: string };
  /** Records written by a program, such as an assistant's answers: those whose field has one of these values. */
  readonly generated?: FieldValues;
  readonly presentation?: Presentation;
  /** `query.aggregations.count` is true. */
  readonly countable: boolean;
  /** The JSON Schema as written. */
  readonly schema: JsonObject;
  /** `query` as written. */
  readonly query: JsonObject;
}

export interface ConnectorDeclaration {
  readonly connectorKey: string;
  /** The absolute URI when the manifest has one, else the key. */
  readonly connectorId: string;
  readonly sourceKind: "connector" | "provider_native";
  readonly version: string;
  readonly displayName: string;
  readonly streams: readonly StreamDeclaration[];
  /** The manifest as written, unknown keys included. */
  readonly manifest: JsonObject;
}

/** Cached because fields are looked up for every value shown; declarations are immutable. */
const byName = new WeakMap<StreamDeclaration, ReadonlyMap<string, FieldDeclaration>>();

export function findField(stream: StreamDeclaration, name: string): FieldDeclaration | undefined {
  const known = byName.get(stream);
  if (known !== undefined) return known.get(name);
  const fields = new Map(stream.fields.map((field) => [field.name, field]));
  byName.set(stream, fields);
  return fields.get(name);
}

export function findStream(connector: ConnectorDeclaration, name: string): StreamDeclaration | undefined {
  return connector.streams.find((stream) => stream.name === name);
}

/** Derived from other sources: it says something about all of them, so no selection includes it unless it is named. */
export const isDerived = ({ manifest }: Pick<ConnectorDeclaration, "manifest">): boolean => manifest.derived === true;
