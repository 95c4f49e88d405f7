import type { FieldDeclaration, Json, JsonObject, StreamDeclaration } from "./declaration.ts";
import { isObject } from "./manifest-issues.ts";
import { restrictPresentation } from "./manifest-presentation.ts";

/**
 * Reduces a stream declaration to the granted fields, so that nothing in it names another field or reveals that one
 * exists. Relationships stay: whether they can be followed depends on the other stream too.
 */
export function restrictDeclaration(stream: StreamDeclaration, granted: ReadonlySet<string>): StreamDeclaration {
  if (stream.fields.every(({ name }) => granted.has(name))) return stream;
  const { cursorField, consentTimeField, conversation, presentation, ...rest } = stream;
  const keepGranted = (keepGrantedNames: readonly string[]) => keepGrantedNames.filter((name) => granted.has(name));
  const schema = restrictSchema(stream.schema, granted);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const isTold = conversation !== undefined && mayTell(conversation, granted);
  return {
    ...rest,
    primaryKey: keepGranted(stream.primaryKey),
    ...(cursorField !== undefined && granted.has(cursorField) ? { cursorField } : {}),
    ...(consentTimeField !== undefined && granted.has(consentTimeField) ? { consentTimeField } : {}),
    ...(isTold ? { conversation } : {}),
    ...(presentation === undefined ? {} : { presentation: restrictPresentation(presentation, granted) }),
    fields: stream.fields.flatMap((field) =>
      granted.has(field.name) ? [restrictField(field, properties, granted)] : [],
    ),
    views: stream.views
      .map((view) => ({ ...view, fields: keepGranted(view.fields) }))
      .filter(({ fields }) => fields.length > 0),
    schema,
    query: restrictQuery(stream.query, granted),
  };
}

const mayTell = ({ within, by }: { within?: string; by: string }, granted: ReadonlySet<string>): boolean =>
  granted.has(by) && (within === undefined || granted.has(within));

function restrictField(
  { unitField, ...field }: FieldDeclaration,
  properties: JsonObject,
  granted: ReadonlySet<string>,
): FieldDeclaration {
  const schema = properties[field.name];
  return {
    ...field,
    ...(unitField !== undefined && granted.has(unitField) ? { unitField } : {}),
    schema: isObject(schema) ? schema : {},
  };
}

/** Record-level keywords that cannot mention fields. */
const plainKeywords = ["$schema", "type", "title", "description"];
const definitions = ["$defs", "definitions"];

function restrictSchema(schema: JsonObject, granted: ReadonlySet<string>): JsonObject {
  const used = new Set<string>();
  const cut = (value: Json): Json => cutSchema(value, granted, used);
  const shown: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (plainKeywords.includes(key) || (key === "additionalProperties" && typeof value === "boolean"))
      shown[key] = value;
    if (key === "required" && Array.isArray(value))
      shown[key] = value.filter((name) => typeof name === "string" && granted.has(name));
    if (key === "properties" && isObject(value))
      shown[key] = Object.fromEntries(
        Object.entries(value).flatMap(([name, property]) => (granted.has(name) ? [[name, cut(property)]] : [])),
      );
  }
  // Definitions can refer to other definitions.
  for (const reference of used) {
    const [, place = "", name = ""] = reference.split("/");
    const held = schema[place];
    if (!isObject(held) || held[name] === undefined) continue;
    const kept = shown[place];
    shown[place] = { ...(isObject(kept ?? null) ? (kept as JsonObject) : {}), [name]: cut(held[name]) };
  }
  return shown;
}

/** Removes from a field's schema everything that names another field, and collects the definitions it uses. */
function cutSchema(value: Json, granted: ReadonlySet<string>, used: Set<string>): Json {
  if (Array.isArray(value)) return value.map((item) => cutSchema(item, granted, used));
  if (!isObject(value)) return value;
  const { $ref: reference, $dynamicRef: dynamic, x_pdpp_unit_field: unit } = value;
  for (const target of [reference, dynamic]) {
    if (typeof target !== "string") continue;
    const [, place = "", name = ""] = target.split("/");
    if (definitions.includes(place)) used.add(`#/${place}/${name}`);
    // It refers to another field or to the whole record.
    else if (place !== "properties" || !granted.has(name)) return {};
  }
  const hidden = typeof unit === "string" && !granted.has(unit) ? "x_pdpp_unit_field" : undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (key === hidden ? [] : [[key, cutSchema(item, granted, used)]])),
  );
}

function restrictQuery(query: JsonObject, granted: ReadonlySet<string>): JsonObject {
  const names = (list: Json): Json[] =>
    Array.isArray(list) ? list.filter((name) => typeof name === "string" && granted.has(name)) : [];
  const parts: { readonly [part: string]: (held: JsonObject) => [string, Json][] } = {
    search: (held) =>
      Object.entries(held).flatMap(([key, value]): [string, Json][] => {
        if (key === "context") return isToldContext(value, granted) ? [[key, value]] : [];
        if (key === "generated")
          return isObject(value) && typeof value.field === "string" && granted.has(value.field) ? [[key, value]] : [];
        return names(value).length === 0 ? [] : [[key, names(value)]];
      }),
    range_filters: (held) => Object.entries(held).filter(([name]) => granted.has(name)),
    aggregations: (held) =>
      Object.entries(held).flatMap(([key, value]): [string, Json][] => {
        if (typeof value === "boolean") return [[key, value]];
        return names(value).length === 0 ? [] : [[key, names(value)]];
      }),
  };
  return Object.fromEntries(
    Object.entries(query).flatMap(([key, value]): [string, Json][] => {
      if (key === "expand") return [[key, value]];
      const part = parts[key];
      if (part === undefined || !isObject(value)) return [];
      const entries = part(value);
      return entries.length === 0 ? [] : [[key, Object.fromEntries(entries)]];
    }),
  );
}

function isToldContext(context: Json, granted: ReadonlySet<string>): boolean {
  if (!isObject(context)) return false;
  const { by, within } = context;
  return (
    typeof by === "string" &&
    granted.has(by) &&
    (within === undefined || (typeof within === "string" && granted.has(within)))
  );
}
