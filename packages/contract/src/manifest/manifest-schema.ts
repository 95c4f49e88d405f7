import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { parseInstant } from "../instant.ts";
import type { FieldKind, Json, JsonObject, StreamDeclaration } from "./declaration.ts";
import { compileLinearPattern, isRegularExpression, type LinearPattern } from "./linear-pattern.ts";
import { appendPath, type IssueList, isObject, quote } from "./manifest-issues.ts";

const SCHEMA_KEYS = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const SCHEMA_LIST_KEYS = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const SCHEMA_MAP_KEYS = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

const isInstant = (value: string): boolean => parseInstant(value) !== null;

/**
 * Patterns that cannot be matched in linear time are rejected at registration. An old vault may have one, which is
 * then not checked.
 */
function compilePattern(pattern: string): LinearPattern {
  try {
    return compileLinearPattern(pattern);
  } catch {
    return { test: () => true };
  }
}

const options: Options = {
  strict: false,
  logger: false,
  ownProperties: true,
  formats: { date: isInstant, "date-time": isInstant },
  code: { regExp: Object.assign(compilePattern, { code: "compilePattern" }) },
};

let metaSchemas: Ajv2020 | undefined;

/** Each schema gets its own Ajv, which remembers `$id`s and would mix up two manifests. */
function compile(schema: JsonObject, more: Options = {}): ValidateFunction {
  return new Ajv2020({ ...options, ...more, meta: false, validateSchema: false }).compile(schema);
}

/** A value that is stored although it does not match its declared type. */
export interface FieldNote {
  readonly field: string;
  readonly reason: string;
}

/** A record that is rejected, or one with invalid dates that nothing depends on. */
export type RecordIssue = { readonly refused: string } | { readonly notes: readonly FieldNote[] };

/** Compiles a check of records against the stream's schema. It returns null for a valid record. */
export function compileRecordCheck(stream: StreamDeclaration): (data: JsonObject) => RecordIssue | null {
  const validate = compile(stream.schema);
  const badDates = compileDateCheck(stream);
  return (data) => {
    try {
      if (validate(data)) return null;
      const refused = describeError(validate.errors?.[0]);
      const notes = badDates(data);
      return notes === null ? { refused } : { notes };
    } catch (error) {
      if (error instanceof RangeError) return { refused: "/ is nested too deeply to be checked" };
      throw error;
    }
  };
}

/** Finds invalid dates, if they are the record's only errors and nothing depends on them; else null. */
function compileDateCheck(stream: StreamDeclaration): (data: JsonObject) => FieldNote[] | null {
  let fitsOtherwise: ValidateFunction | undefined;
  let everything: ValidateFunction | undefined;
  const relied = listRequiredFields(stream);
  return (data) => {
    fitsOtherwise ??= compile(stream.schema, { formats: { date: true, "date-time": true } });
    if (!fitsOtherwise(data)) return null;
    everything ??= compile(stream.schema, { allErrors: true });
    everything(data);
    const notes = new Map<string, FieldNote>();
    for (const error of everything.errors ?? []) {
      if (error.keyword !== "format") continue;
      const field = decodePart(error.instancePath.split("/")[1] ?? "");
      if (relied.has(field)) return null;
      notes.set(error.instancePath, { field, reason: describeError(error) });
    }
    return notes.size === 0 ? null : [...notes.values()];
  };
}

/** Fields that identify, sort, filter or limit consent for records. Their values must be valid. */
function listRequiredFields({
  primaryKey,
  cursorField,
  consentTimeField,
  fields,
}: StreamDeclaration): Set<string | undefined> {
  const ranged = fields.filter(({ rangeOperators }) => rangeOperators.length > 0).map(({ name }) => name);
  return new Set([...primaryKey, cursorField, consentTimeField, ...ranged]);
}

function describeError(error: ErrorObject | undefined): string {
  if (error === undefined) return "/ does not fit the schema";
  const extra = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  const detail = typeof extra === "string" ? ` such as ${quote(extra)}` : "";
  return `${error.instancePath.slice(0, 300) || "/"} ${error.message ?? "does not fit the schema"}${detail}`;
}

export function checkSchema(schema: JsonObject, path: string, faults: IssueList): void {
  const before = faults.faults.length;
  checkReferencesAndPatterns(schema, path, faults);
  if (faults.faults.length > before) return;
  try {
    metaSchemas ??= new Ajv2020(options);
    // Run it once: V8 compiles generated code lazily, and may reject it as too large.
    if (metaSchemas.validateSchema(schema) === true) compile(schema)({});
    else faults.add(path, "invalid", `is not a JSON Schema: ${describeError(metaSchemas.errors?.[0])}`);
  } catch (error) {
    faults.add(path, "invalid", `is not a usable JSON Schema: ${explainUnusable(error)}`);
  }
}

function explainUnusable(error: unknown): string {
  if (error instanceof RangeError) return "it is too large, or its references lead back to themselves";
  return error instanceof Error ? error.message : String(error);
}

/** Visits subschemas only; the values of `const`, `enum`, `default` and unknown keywords are data. */
function checkReferencesAndPatterns(root: JsonObject, rootPath: string, faults: IssueList): void {
  const pending: { schema: Json | undefined; path: string }[] = [{ schema: root, path: rootPath }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { schema, path } = next;
    if (!isObject(schema)) continue;
    for (const [key, value] of Object.entries(schema)) {
      const here = appendPath(path, key);
      if (key === "$ref" || key === "$dynamicRef") checkReference(value, here, faults);
      if (key === "pattern") checkPattern(value, here, faults);
      if (SCHEMA_KEYS.has(key)) pending.push({ schema: value, path: here });
      if (SCHEMA_LIST_KEYS.has(key) && Array.isArray(value)) {
        for (const [index, item] of value.entries()) pending.push({ schema: item, path: appendPath(here, index) });
      }
      if (SCHEMA_MAP_KEYS.has(key) && isObject(value)) {
        for (const [name, item] of Object.entries(value)) {
          if (key === "patternProperties") checkPattern(name, appendPath(here, name), faults);
          pending.push({ schema: item, path: appendPath(here, name) });
        }
      }
    }
  }
}

function checkReference(value: Json, path: string, faults: IssueList): void {
  if (typeof value === "string" && value.startsWith("#")) return;
  const shown = typeof value === "string" ? quote(value) : "this";
  faults.add(path, "nonlocal_schema_reference", `must refer to a place in the same schema ("#..."), not to ${shown}`);
}

function checkPattern(value: Json, path: string, faults: IssueList): void {
  if (typeof value !== "string") return;
  if (!isRegularExpression(value)) {
    faults.add(path, "invalid", `${quote(value)} is not a regular expression`);
    return;
  }
  try {
    compileLinearPattern(value);
  } catch {
    faults.add(
      path,
      "invalid",
      `${quote(value)} cannot be matched in time that grows with the text alone; write it without looking ahead, behind or back ` +
        "(?=, ?<=, \\\\1), and repeat at most 1,000 times",
    );
  }
}

export interface FieldShape {
  readonly kind: FieldKind;
  /** JSON types a value may have, without null; empty if the schema does not say. */
  readonly types: ReadonlySet<string>;
  readonly admitsNull: boolean;
}

/** More steps than any reasonable schema needs. Also ends a `$ref` cycle. */
const maxSteps = 100;

/** Finds the types a property admits, through local `$ref`, `anyOf`, `oneOf`, `const` and `enum`. */
export function inferFieldShape(property: Json, root: JsonObject): FieldShape {
  const types = new Set<string>();
  const formats = new Set<Json>();
  const pending: (Json | undefined)[] = [property];
  for (let step = 0; pending.length > 0; step++) {
    const schema = pending.pop();
    if (schema === false) continue;
    if (step >= maxSteps || !isObject(schema)) return anyShape;
    const said = listDeclaredTypes(schema);
    const branches = listBranches(schema, root);
    if (said !== null) for (const type of said) types.add(type);
    else if (branches !== null) pending.push(...branches.slice(0, maxSteps));
    else return anyShape;
    if (said?.includes("string")) formats.add(own(schema, "format") ?? "");
  }
  const admitsNull = types.delete("null");
  if (types.has("number")) types.delete("integer");
  return { kind: getFieldKind(types, formats), types, admitsNull };
}

const anyShape: FieldShape = { kind: "json", types: new Set(), admitsNull: true };

function listDeclaredTypes(schema: JsonObject): string[] | null {
  const type = own(schema, "type");
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  if (["$ref", "anyOf", "oneOf"].some((key) => Object.hasOwn(schema, key))) return null;
  if (Object.hasOwn(schema, "const")) return [getJsonType(own(schema, "const"))];
  const values = own(schema, "enum");
  return Array.isArray(values) ? values.map(getJsonType) : null;
}

function listBranches(schema: JsonObject, root: JsonObject): (Json | undefined)[] | null {
  const reference = own(schema, "$ref");
  if (typeof reference === "string") return [resolvePointer(reference, root)];
  const branches = own(schema, "anyOf") ?? own(schema, "oneOf");
  return Array.isArray(branches) ? branches : null;
}

function resolvePointer(reference: string, root: JsonObject): Json | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodePart(part);
    if (typeof found !== "object" || found === null) return undefined;
    found = own(found as JsonObject, key);
  }
  return found;
}

function decodePart(part: string): string {
  const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function getJsonType(value: Json | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function getFieldKind(types: ReadonlySet<string>, formats: ReadonlySet<Json>): FieldKind {
  const [type] = types;
  if (types.size !== 1) return "json";
  if (type === "integer" || type === "number" || type === "boolean") return type;
  if (type !== "string") return "json";
  const [format] = formats;
  return formats.size === 1 && (format === "date" || format === "date-time") ? format : "text";
}
