import type { FieldDeclaration, FieldKind, StreamDeclaration } from "./declaration.ts";
import { orderedKinds, readFields, scalarKinds } from "./manifest-fields.ts";
import { quote } from "./manifest-issues.ts";
import { readFieldValues, readPresentation } from "./manifest-presentation.ts";
import { checkStreamName, type ObjectReader } from "./manifest-reader.ts";
import type { StreamDraft } from "./manifest-relationships.ts";
import { checkSchema } from "./manifest-schema.ts";

/** The protocol has two; published manifests also use these names for append_only. */
const semanticsSpellings: ReadonlyMap<string, StreamDeclaration["semantics"]> = new Map([
  ["mutable_state", "mutable_state"],
  ["append_only", "append_only"],
  ["append", "append_only"],
  ["immutable_log", "append_only"],
]);

export function readStreamName(reader: ObjectReader): string | undefined {
  const name = reader.requireString("name");
  const problem = name === undefined ? null : checkStreamName(name);
  return problem === null ? name : reader.refuse("name", `the stream's name ${problem}`);
}

export function readStream(reader: ObjectReader, name: string): StreamDraft | null {
  const schema = reader.readObject("schema");
  if (schema === undefined) {
    if (reader.get("schema") === undefined) reader.refuse("schema", "is required");
    return null;
  }
  if (!reader.faults.isStored) checkSchema(schema.value, schema.path, reader.faults);
  checkDescribesObject(schema);
  const query = reader.readObject("query");
  const fields = readFields(schema, query);
  const search = query?.readObject("search");
  const display = reader.readObject("display");
  const selection = reader.readObject("selection");
  return {
    name,
    semantics: readSemantics(reader),
    primaryKey: readPrimaryKey(reader, fields),
    ...present("cursorField", readFieldName(reader, "cursor_field", fields, scalarKinds)),
    ...present("consentTimeField", readFieldName(reader, "consent_time_field", fields, orderedKinds)),
    ...present("description", reader.readString("description")),
    ...(display === undefined
      ? {}
      : {
          display: {
            ...present("label", display.readString("label")),
            ...present("detail", display.readString("detail")),
          },
        }),
    selection: {
      fields: selection?.readBoolean("fields") ?? true,
      resources: selection?.readBoolean("resources") ?? true,
    },
    fields: [...fields.values()],
    views: readViews(reader, fields),
    ...present("conversation", readConversation(query, fields)),
    ...present("generated", search === undefined ? undefined : readFieldValues(search, "generated", fields)),
    ...present("presentation", readPresentation(reader, fields)),
    countable: query?.readObject("aggregations")?.readBoolean("count") === true,
    schema: schema.value,
    query: query?.value ?? {},
  };
}

function present<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function checkDescribesObject(schema: ObjectReader): void {
  const type = schema.get("type");
  const admits = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!admits) schema.refuse("type", "must be object: a record is an object");
}

function readSemantics(reader: ObjectReader): StreamDeclaration["semantics"] {
  const said = reader.readString("semantics") ?? "mutable_state";
  const semantics = semanticsSpellings.get(said);
  if (semantics === undefined) reader.refuse("semantics", "must be append_only or mutable_state");
  return semantics ?? "mutable_state";
}

function readConversation(
  query: ObjectReader | undefined,
  fields: ReadonlyMap<string, FieldDeclaration>,
): StreamDeclaration["conversation"] {
  const context = query?.readObject("search")?.readObject("context");
  if (context === undefined) return undefined;
  const by = context.requireString("by");
  const within = readFieldName(context, "within", fields, scalarKinds);
  if (by === undefined) return undefined;
  checkField(context, by, context.pathTo("by"), fields, orderedKinds);
  return { by, ...present("within", within) };
}

function readPrimaryKey(reader: ObjectReader, fields: ReadonlyMap<string, FieldDeclaration>): string[] {
  const said = reader.get("primary_key");
  const path = reader.pathTo("primary_key");
  const parts = typeof said === "string" ? [{ value: said, path }] : reader.readStrings("primary_key");
  if (said === undefined || (Array.isArray(said) && said.length === 0)) reader.refuse("primary_key", "is required");
  for (const part of parts) checkField(reader, part.value, part.path, fields, scalarKinds);
  return parts.map((part) => part.value);
}

function readFieldName(
  reader: ObjectReader,
  key: string,
  fields: ReadonlyMap<string, FieldDeclaration>,
  kinds: readonly FieldKind[],
): string | undefined {
  const name = reader.readString(key);
  if (name !== undefined) checkField(reader, name, reader.pathTo(key), fields, kinds);
  return name;
}

function checkField(
  reader: ObjectReader,
  name: string,
  path: string,
  fields: ReadonlyMap<string, FieldDeclaration>,
  kinds?: readonly FieldKind[],
): void {
  const field = fields.get(name);
  if (field === undefined) {
    reader.faults.add(path, "unknown_schema_field", `${quote(name)} is not a field of the stream`);
  } else if (kinds !== undefined && !kinds.includes(field.kind)) {
    const message = `${quote(name)} is of kind ${field.kind}; it must be one of ${kinds.join(", ")}`;
    reader.faults.add(path, "invalid", message);
  }
}

function readViews(reader: ObjectReader, fields: ReadonlyMap<string, FieldDeclaration>): StreamDeclaration["views"] {
  const views = new Map<string, StreamDeclaration["views"][number]>();
  for (const entry of reader.readObjects("views")) {
    const id = entry.requireString("id");
    const named = entry.readStrings("fields");
    for (const { value, path } of named) checkField(reader, value, path, fields);
    if (id === undefined) continue;
    if (views.has(id)) reader.faults.add(entry.pathTo("id"), "duplicate_view_id", `${quote(id)} is declared twice`);
    views.set(id, { id, ...present("label", entry.readString("label")), fields: named.map(({ value }) => value) });
  }
  // A view without fields shows nothing under any grant.
  return [...views.values()].filter((view) => view.fields.length > 0);
}
