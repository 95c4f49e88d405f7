import {
  type FieldDeclaration,
  type FieldKind,
  type FieldValues,
  type Json,
  type Presentation,
  type PresentationPart,
  presentationParts,
  streamKinds,
} from "./declaration.ts";
import { isObject, quote } from "./manifest-issues.ts";
import type { ObjectReader } from "./manifest-reader.ts";

type Fields = ReadonlyMap<string, FieldDeclaration>;

export function readPresentation(stream: ObjectReader, fields: Fields): Presentation | undefined {
  const said = stream.readObject("presentation");
  if (said === undefined) return undefined;
  const kind = streamKinds.find((known) => known === said.get("kind"));
  if (kind === undefined) return said.refuse("kind", `must be one of ${streamKinds.join(", ")}`);
  const own = readFieldValues(said, "own", fields);
  return { kind, fields: readParts(said, fields), ...(own === undefined ? {} : { own }) };
}

function readParts(said: ObjectReader, fields: Fields): Presentation["fields"] {
  const parts: { [part in PresentationPart]?: string } = {};
  const named = said.readObject("fields");
  for (const part of named === undefined ? [] : Object.keys(named.value)) {
    if (!isPart(part)) {
      named!.refuse(part, `is not one of ${Object.keys(presentationParts).join(", ")}`);
      continue;
    }
    const field = fields.get(named!.readString(part) ?? "");
    const kinds: readonly FieldKind[] = presentationParts[part];
    if (field === undefined)
      said.faults.add(named!.pathTo(part), "unknown_schema_field", "must name a field of the stream");
    else if (!kinds.includes(field.kind))
      named!.refuse(part, `${quote(field.name)} is of kind ${field.kind}; it must be ${kinds.join(" or ")}`);
    else parts[part] = field.name;
  }
  return parts;
}

const isPart = (name: string): name is PresentationPart => Object.hasOwn(presentationParts, name);

const maxValues = 20;

/** Reads which records are meant by the values of one field. */
export function readFieldValues(reader: ObjectReader, key: string, fields: Fields): FieldValues | undefined {
  const said = reader.get(key);
  if (said === undefined) return undefined;
  const refuse = (at: string, message: string): undefined => {
    reader.faults.add(`${reader.pathTo(key)}${at}`, "invalid", message);
    return undefined;
  };
  if (!isObject(said)) return refuse("", "must be an object with field and values");
  const { field, values } = said;
  const kind = typeof field === "string" ? fields.get(field)?.kind : undefined;
  if (typeof field !== "string" || (kind !== "text" && kind !== "boolean"))
    return refuse(".field", "must name a field of the stream that holds text, true or false");
  const type = kind === "text" ? "string" : "boolean";
  const isValue = (value: Json): value is string | boolean => typeof value === type;
  if (!Array.isArray(values) || values.length === 0 || values.length > maxValues || !values.every(isValue))
    return refuse(".values", `must be a list of 1 to ${maxValues} values that ${quote(field)} can have`);
  return { field, values };
}

/** Leaves out the parts whose fields are not granted. */
export const restrictPresentation = (
  { kind, fields, own }: Presentation,
  granted: ReadonlySet<string>,
): Presentation => ({
  kind,
  fields: Object.fromEntries(Object.entries(fields).filter(([, name]) => granted.has(name))),
  ...(own !== undefined && granted.has(own.field) ? { own } : {}),
});
