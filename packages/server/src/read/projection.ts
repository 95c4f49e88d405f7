import { fieldOf, type Json, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { isoOf } from "@pdpp/contract/instant";
import type { WireRecord } from "@pdpp/contract/wire";
import { type ScopedConnection, type StreamScope, shownDeclaration } from "../store/access/scope.ts";
import { isBlobReference } from "../store/blobs/blob-fields.ts";
import { readableField } from "./conditions.ts";
import type { ShownRecord } from "./evidence.ts";

/** Which fields of a record an answer shows. Null: all of them, for the owner. */
export type Projection = ReadonlySet<string> | null;

const presentations = ["evidence", "document"] as const;
type PresentationName = (typeof presentations)[number];

/** `view=evidence` asks for cards and `view=document` for a text, unless the stream declares a view of that name. */
export function presentationOf(scope: StreamScope, view: string | undefined): PresentationName | undefined {
  const declared = shownDeclaration(scope).views.some(({ id }) => id === view);
  return declared ? undefined : presentations.find((name) => name === view);
}

export function projectionFrom(
  scope: StreamScope,
  input: { fields?: string[] | undefined; view?: string | undefined },
): Projection {
  if (input.fields !== undefined && input.view !== undefined && presentationOf(scope, input.view) === undefined) {
    throw new PdppError("invalid_request", "fields and view exclude each other; send one of them", { param: "view" });
  }
  if (input.fields !== undefined) {
    for (const name of input.fields) readableField(scope, name, "fields");
    return new Set(input.fields);
  }
  if (presentationOf(scope, input.view) !== undefined) return scope.fields;
  if (input.view !== undefined) {
    const { views } = shownDeclaration(scope);
    const view = views.find(({ id }) => id === input.view);
    if (view === undefined) {
      const known = views.map(({ id }) => id).join(", ") || "none";
      throw new PdppError(
        "invalid_request",
        `there is no view ${JSON.stringify(input.view)}; declared views: ${known}`,
        { param: "view" },
      );
    }
    return new Set(view.fields);
  }
  return scope.fields;
}

export function project(
  scope: StreamScope,
  projection: Projection,
  data: JsonObject,
  connection: ScopedConnection,
): JsonObject {
  const shown = Object.entries(data).filter(([name]) => projection === null || projection.has(name));
  return Object.fromEntries(
    shown.map(([name, value]) => [
      name,
      fieldOf(scope.stream.declaration, name)?.blob ? withFetchUrl(value, connection) : value,
    ]),
  );
}

function withFetchUrl(value: Json, connection: ScopedConnection): Json {
  if (Array.isArray(value)) return value.map((item) => withFetchUrl(item, connection));
  if (!isBlobReference(value)) return value;
  const url = `/v1/blobs/${encodeURIComponent(value.blob_id)}?connection_id=${encodeURIComponent(connection.id)}`;
  return { ...value, fetch_url: url };
}

export function provenance(
  scope: StreamScope,
  connection: ScopedConnection,
  key: string,
  revision: number,
  emittedAt: number,
) {
  return {
    object: "record" as const,
    id: key,
    stream: scope.stream.declaration.name,
    connector_key: scope.connectorKey,
    connection_id: connection.id,
    connector_instance_id: connection.id,
    ...(connection.label === undefined ? {} : { display_name: connection.label }),
    record_version: String(revision),
    emitted_at: isoOf(emittedAt),
  };
}

export function wireRecord(scope: StreamScope, projection: Projection, record: ShownRecord): WireRecord {
  return {
    ...provenance(scope, record.connection, record.key, record.revision, record.emittedAt),
    data: project(scope, projection, record.data, record.connection),
  };
}
