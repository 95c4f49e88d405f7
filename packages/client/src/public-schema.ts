import type { FieldDeclaration, FieldKind, Json, StreamDeclaration } from "@pdpp/contract/declaration";
import type * as pub from "@pdpp/contract/public-wire";

/** A stream that the server's schema lists. */
export interface KnownStream {
  readonly connectorKey: string;
  readonly stream: StreamDeclaration;
  /** The labels of its connections. */
  readonly labels: ReadonlyMap<string, string | undefined>;
}

export const listKnownStreams = ({ connectors }: pub.PublicFullSchema): KnownStream[] =>
  connectors.flatMap(({ connector_key: connectorKey, streams }) =>
    streams.map((stream) => ({
      connectorKey,
      stream: toDeclaration(stream),
      labels: new Map(stream.granted_connections.map(({ connection_id: id, display_name: label }) => [id, label])),
    })),
  );

/** The stream of a record; if the schema does not list it, only its name is known. */
export const findKnownStream = (
  known: readonly KnownStream[],
  name: string,
  connectionId: string,
  connectorKey = "",
): KnownStream =>
  known.find(({ stream, labels }) => stream.name === name && labels.has(connectionId)) ?? {
    connectorKey,
    stream: { ...bareStream, name },
    labels: new Map(),
  };

const bareStream: StreamDeclaration = {
  name: "",
  semantics: "mutable_state",
  primaryKey: [],
  selection: { fields: false, resources: false },
  fields: [],
  views: [],
  relationships: [],
  countable: false,
  schema: {},
  query: {},
};

function toDeclaration(stream: pub.PublicStream): StreamDeclaration {
  const { name, cursor_field: cursor, consent_time_field: consentTime, display } = stream;
  return {
    ...bareStream,
    name,
    ...(cursor === null ? {} : { cursorField: cursor }),
    ...(consentTime === null ? {} : { consentTimeField: consentTime }),
    ...(isLabelled(display) ? { display: { label: display.label } } : {}),
    fields: Object.entries(stream.field_capabilities).map(([field, capability]) =>
      toFieldDeclaration(field, capability),
    ),
  };
}

const isLabelled = (display: unknown): display is { label: string } =>
  typeof display === "object" && display !== null && "label" in display && typeof display.label === "string";

type Capability = pub.PublicStream["field_capabilities"][string];

function toFieldDeclaration(name: string, { type, role, schema }: Capability): FieldDeclaration {
  return {
    name,
    kind: getFieldKind(schema),
    nullable: true,
    ...(type === "json" ? {} : { type }),
    ...(role === undefined ? {} : { role }),
    blob: name === "blob_ref" || role === "blob-reference" || type === "blob",
    rangeOperators: [],
    lexical: false,
    semantic: false,
    aggregations: [],
    schema,
  };
}

function getFieldKind({ type, format }: { readonly [key: string]: Json }): FieldKind {
  if (type === "integer" || type === "number" || type === "boolean") return type;
  if (type !== "string") return "json";
  return format === "date" || format === "date-time" ? format : "text";
}

/** The connection of a stream that has only one. */
export function findOnlyConnection(known: readonly KnownStream[], name: string): string {
  const ids = known.filter(({ stream }) => stream.name === name).flatMap(({ labels }) => [...labels.keys()]);
  return ids.length === 1 ? (ids[0] ?? "") : "";
}
