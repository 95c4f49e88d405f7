import { findField, type Json, type JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { formatInstant } from "@pdpp/contract/instant";
import type { WireRecord } from "@pdpp/contract/wire";
import { type FieldPath, formatFieldPath, getValue, parseFieldPath } from "@pdpp/evidence/fields/field-path";
import { getVisibleDeclaration, type ScopedConnection, type StreamScope } from "../../store/access/scope.ts";
import { isBlobReference } from "../../store/blobs/blob-fields.ts";
import { requireValue } from "../../store/engine/require-value.ts";
import type { ShownRecord } from "./cards.ts";
import { getReadableField } from "./conditions.ts";

/** The top-level fields that an answer shows. Null: all of them, for the owner. */
export type Projection = (ReadonlySet<string> & { readonly inside?: Inside }) | null;

/** The requested parts of each field that was not requested as a whole. */
type Inside = ReadonlyMap<string, readonly FieldPath[]>;

const presentations = ["evidence", "document"] as const;
type PresentationName = (typeof presentations)[number];

/** `view=evidence` asks for cards and `view=document` for a text, unless the stream declares a view of that name. */
export function getPresentation(scope: StreamScope, view: string | undefined): PresentationName | undefined {
  const declared = getVisibleDeclaration(scope).views.some(({ id }) => id === view);
  return declared ? undefined : presentations.find((name) => name === view);
}

interface ProjectionInput {
  readonly fields?: string[] | undefined;
  readonly view?: string | undefined;
  readonly fields_view?: string | undefined;
}

export function parseProjection(scope: StreamScope, input: ProjectionInput): Projection {
  const isDeclared = input.view !== undefined && getPresentation(scope, input.view) === undefined;
  if (input.fields_view !== undefined && isDeclared)
    throw new PdppError("invalid_request", "fields_view goes with view=evidence", { param: "fields_view" });
  const [view, param] = isDeclared ? [input.view, "view"] : [input.fields_view, "fields_view"];
  if (input.fields !== undefined && view !== undefined)
    throw new PdppError("invalid_request", "fields and view cannot be combined; send one of them", { param });
  if (input.fields !== undefined) return parseFields(scope, input.fields);
  return view === undefined ? scope.fields : addUnits(scope, getViewFields(scope, view, param));
}

function getViewFields(scope: StreamScope, name: string, param: string): readonly string[] {
  const { views } = getVisibleDeclaration(scope);
  const view = views.find(({ id }) => id === name);
  if (view !== undefined) return view.fields;
  const known = views.map(({ id }) => id).join(", ") || "none";
  throw new PdppError("invalid_request", `there is no view ${JSON.stringify(name)}; declared views: ${known}`, {
    param,
  });
}

function parseFields(scope: StreamScope, names: readonly string[]): Projection {
  const paths = names.map((name) => parseReadablePath(scope, name, "fields"));
  const whole = paths.flatMap(([field, ...parts]) => (parts.length === 0 ? [field] : []));
  const partial = paths.filter(([field]) => !whole.includes(field));
  const shown = addUnits(scope, [...whole, ...partial.map(([field]) => field)]);
  if (partial.length === 0) return shown;
  const inside = Map.groupBy(partial, ([field]) => field);
  return Object.assign(shown, { inside });
}

export function parseReadablePath(scope: StreamScope, name: string, param: string): FieldPath {
  const path = parseFieldPath(name, (each) => findField(getVisibleDeclaration(scope), each) !== undefined);
  if (path === null || path.length === 1) {
    getReadableField(scope, name, param);
    return [name];
  }
  const [field, ...parts] = path;
  let { schema } = getReadableField(scope, field, param);
  for (const [i, part] of parts.entries()) {
    const at = JSON.stringify(formatFieldPath([field, ...parts.slice(0, i)]));
    const { type, properties, $ref } = schema;
    const types = type === undefined ? ["object"] : [type].flat();
    if (typeof part === "number" || (!types.includes("object") && $ref === undefined))
      throw new PdppError("unknown_field", `${at} is not an object, so it has no parts; ask for ${at} itself`, {
        param,
      });
    // An object without declared properties may have any.
    if (!isObject(properties)) break;
    const next = Object.hasOwn(properties, part) ? properties[part] : undefined;
    if (next === undefined) {
      const known = Object.keys(properties).join(", ") || "none";
      const message = `field ${at} has no part ${JSON.stringify(part)}; it has: ${known}`;
      throw new PdppError("unknown_field", message, { param });
    }
    schema = isObject(next) ? next : {};
  }
  return path;
}

/** Adds the unit fields of amounts, if they are granted. */
function addUnits(scope: StreamScope, names: readonly string[]): Set<string> {
  const declaration = getVisibleDeclaration(scope);
  return new Set([...names, ...names.flatMap((name) => findField(declaration, name)?.unitField ?? [])]);
}

export function project(
  scope: StreamScope,
  projection: Projection,
  data: JsonObject,
  connection: ScopedConnection,
): JsonObject {
  const shown: [string, Json][] = [];
  for (const [name, held] of Object.entries(data)) {
    if (projection !== null && !projection.has(name)) continue;
    const paths = projection?.inside?.get(name);
    const value = paths === undefined ? held : pickParts(data, paths);
    if (value === undefined) continue;
    shown.push([name, findField(scope.stream.declaration, name)?.blob ? addFetchUrl(value, connection) : value]);
  }
  return Object.fromEntries(shown);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function pickParts(data: JsonObject, paths: readonly FieldPath[]): Json | undefined {
  const held = data[requireValue(paths[0]?.[0], "a field name")];
  if (!isObject(held)) return held === null ? null : undefined;
  const cut: JsonObject = {};
  for (const path of paths) {
    const value = getValue(data, path);
    if (value === undefined) continue;
    const parts = path.slice(1).map(String);
    let at = cut;
    for (const part of parts.slice(0, -1)) {
      const inner = Object.hasOwn(at, part) ? at[part] : undefined;
      const next: JsonObject = isObject(inner) ? inner : {};
      Object.defineProperty(at, part, { value: next, enumerable: true, writable: true, configurable: true });
      at = next;
    }
    const last = requireValue(parts.at(-1), "the end of a path");
    Object.defineProperty(at, last, { value, enumerable: true, writable: true, configurable: true });
  }
  return cut;
}

/** Turns requested parts of objects into fields, so that cards show and read them by their path. */
export function flatten(scope: StreamScope, projection: Projection, data: JsonObject): [JsonObject, Projection] {
  if (projection?.inside === undefined) return [data, projection];
  const isField = (name: string): boolean => findField(getVisibleDeclaration(scope), name) !== undefined;
  const whole = Object.entries(data).filter(([name]) => !projection.inside?.has(name));
  const parts = [...projection.inside.values()].flat().flatMap((path): [string, Json][] => {
    const value = getValue(data, path);
    return value === undefined ? [] : [[formatFieldPath(path, isField), value]];
  });
  const shown = Object.fromEntries([...whole, ...parts]);
  return [shown, new Set(Object.keys(shown))];
}

function addFetchUrl(value: Json, connection: ScopedConnection): Json {
  if (Array.isArray(value)) return value.map((item) => addFetchUrl(item, connection));
  if (!isBlobReference(value)) return value;
  const url = `/v1/blobs/${encodeURIComponent(value.blob_id)}?connection_id=${encodeURIComponent(connection.id)}`;
  return { ...value, fetch_url: url };
}

export function buildProvenance(
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
    emitted_at: formatInstant(emittedAt),
  };
}

export function toWireRecord(scope: StreamScope, projection: Projection, record: ShownRecord): WireRecord {
  return {
    ...buildProvenance(scope, record.connection, record.key, record.revision, record.emittedAt),
    data: project(scope, projection, record.data, record.connection),
  };
}
