import {
  type FieldAggregation,
  type FieldDeclaration,
  type FieldKind,
  fieldAggregations,
  type JsonObject,
  type RangeOperator,
  type Role,
  rangeOperators,
  roles,
} from "./declaration.ts";
import { appendPath, type IssueList, isObject, type ManifestIssueCode, quote } from "./manifest-issues.ts";
import { checkName, ObjectReader } from "./manifest-reader.ts";
import { type FieldShape, inferFieldShape } from "./manifest-schema.ts";

const text: readonly FieldKind[] = ["text", "date", "date-time"];
const numeric: readonly FieldKind[] = ["integer", "number"];
const dated: readonly FieldKind[] = ["date", "date-time"];
export const scalarKinds: readonly FieldKind[] = [...text, ...numeric, "boolean"];
export const orderedKinds: readonly FieldKind[] = [...numeric, ...dated];

const aggregationKinds: Record<FieldAggregation, readonly FieldKind[]> = {
  sum: numeric,
  min: orderedKinds,
  max: orderedKinds,
  group_by: scalarKinds,
  group_by_time: dated,
  count_distinct: scalarKinds,
};

/** Published streams have fewer than 50. The generated schema check recurses too deeply at about 2,000. */
const maxFields = 1_000;

type MutableField = { -readonly [Key in keyof FieldDeclaration]: FieldDeclaration[Key] };

export function readFields(schema: ObjectReader, query: ObjectReader | undefined): Map<string, FieldDeclaration> {
  const fields = new Map<string, MutableField>();
  const required = new Set(schema.readStrings("required").map((entry) => entry.value));
  const properties = schema.readObject("properties");
  if (properties === undefined && schema.get("properties") === undefined) schema.refuse("properties", "is required");
  const names = Object.keys(properties?.value ?? {});
  if (names.length > maxFields) schema.refuse("properties", `has more than ${maxFields} fields`);
  for (const name of names) {
    const problem = checkName(name);
    if (problem !== null) schema.faults.add(properties!.pathTo(name), "invalid", `the field's name ${problem}`);
    fields.set(name, readField(properties!, name, schema.value, required.has(name)));
  }
  checkPrimaryTitles(fields, properties);
  checkUnits(fields, properties);
  if (query !== undefined) readCapabilities(query, fields);
  return fields;
}

function readField(properties: ObjectReader, name: string, root: JsonObject, required: boolean): MutableField {
  const property = properties.value[name]!;
  const reader = new ObjectReader(isObject(property) ? property : {}, properties.pathTo(name), properties.faults);
  const shape = inferFieldShape(property, root);
  const type = reader.readString("x_pdpp_type");
  const role = readRole(reader, shape);
  const unitField = reader.readString("x_pdpp_unit_field");
  return {
    name,
    kind: shape.kind,
    nullable: shape.admitsNull || !required,
    ...(type === undefined ? {} : { type }),
    ...(role === undefined ? {} : { role }),
    ...(unitField === undefined ? {} : { unitField }),
    blob: name === "blob_ref" || role === "blob-reference" || type === "blob",
    rangeOperators: [],
    lexical: false,
    semantic: false,
    aggregations: [],
    schema: property === false ? { not: {} } : reader.value,
  };
}

function readRole(reader: ObjectReader, shape: FieldShape): Role | undefined {
  const said = reader.readString("x_pdpp_role");
  if (said === undefined) return undefined;
  const role = roles.find((known) => known === said);
  const path = reader.pathTo("x_pdpp_role");
  if (role === undefined) {
    reader.faults.add(path, "unknown_role", `${quote(said)} is not a role; the roles are ${roles.join(", ")}`);
  } else if (!canHaveRole(role, shape)) {
    reader.faults.add(path, "invalid_role_type", `a field of this type cannot be ${role}`);
  }
  return role;
}

function canHaveRole(role: Role, shape: FieldShape): boolean {
  const hasOnlyTypes = (...types: string[]) => [...shape.types].every((type) => types.includes(type));
  switch (role) {
    case "primary-title":
    case "body":
      return text.includes(shape.kind);
    case "secondary":
      return scalarKinds.includes(shape.kind);
    case "event-time":
      return orderedKinds.includes(shape.kind);
    case "actor":
      return hasOnlyTypes("string", "array", "object");
    case "amount":
      return hasOnlyTypes("string", "integer", "number", "object");
    case "media":
    case "blob-reference":
      return true;
  }
}

function checkPrimaryTitles(fields: ReadonlyMap<string, FieldDeclaration>, properties: ObjectReader | undefined): void {
  const titles = [...fields.values()].filter((field) => field.role === "primary-title");
  for (const { name } of titles.slice(1)) {
    const message = `${quote(titles[0]!.name)} is the primary title already; a stream has one`;
    properties!.faults.add(appendPath(properties!.pathTo(name), "x_pdpp_role"), "duplicate_primary_title", message);
  }
}

/** An amount must be a number or text, and its unit field a text. */
function checkUnits(fields: ReadonlyMap<string, FieldDeclaration>, properties: ObjectReader | undefined): void {
  if (properties === undefined) return;
  for (const { name, kind, unitField } of fields.values()) {
    if (unitField === undefined) continue;
    const unit = fields.get(unitField);
    const reportUnit = (code: ManifestIssueCode, message: string) =>
      properties.faults.add(appendPath(properties.pathTo(name), "x_pdpp_unit_field"), code, message);
    if (unit === undefined) reportUnit("unknown_schema_field", `${quote(unitField)} is not a field of the stream`);
    else if (unitField === name || unit.kind !== "text")
      reportUnit("invalid_unit", `${quote(unitField)} cannot hold the unit; name another field, of type string`);
    else if (![...numeric, "text"].includes(kind)) reportUnit("invalid_unit", "only a number or a text has a unit");
  }
}

function readCapabilities(query: ObjectReader, fields: Map<string, MutableField>): void {
  const search = query.readObject("search");
  for (const key of ["lexical", "semantic"] as const) {
    for (const field of readFieldNames(search, `${key}_fields`, fields, text, "searched")) field[key] = true;
  }
  for (const { value, path } of search?.readStrings("blob_text_fields") ?? []) {
    const field = fields.get(value);
    if (field?.blob) field.blobText = true;
    else if (field === undefined)
      query.faults.add(path, "unknown_schema_field", `${quote(value)} is not a field of the stream`);
    else query.faults.add(path, "invalid_query_field_type", `${quote(value)} is not declared to hold blobs`);
  }
  const aggregations = query.readObject("aggregations");
  for (const key of fieldAggregations) {
    for (const field of readFieldNames(aggregations, key, fields, aggregationKinds[key], `used for ${key}`)) {
      field.aggregations = [...field.aggregations, key];
    }
  }
  readRangeFilters(query, fields);
}

function readFieldNames(
  reader: ObjectReader | undefined,
  key: string,
  fields: Map<string, MutableField>,
  kinds: readonly FieldKind[],
  use: string,
): MutableField[] {
  const named = reader?.readStrings(key) ?? [];
  return named.flatMap(({ value, path }) => findUsableField(fields, value, path, kinds, use, reader!.faults) ?? []);
}

function readRangeFilters(query: ObjectReader, fields: Map<string, MutableField>): void {
  const filters = query.readObject("range_filters");
  for (const name of Object.keys(filters?.value ?? {})) {
    const path = filters!.pathTo(name);
    const field = findUsableField(fields, name, path, orderedKinds, "filtered by range", query.faults);
    const operators: RangeOperator[] = [];
    for (const { value, path: operatorPath } of filters!.readStrings(name)) {
      const operator = rangeOperators.find((known) => known === value);
      if (operator !== undefined) operators.push(operator);
      else query.faults.add(operatorPath, "invalid", `${quote(value)} is not one of ${rangeOperators.join(", ")}`);
    }
    if (field !== undefined) field.rangeOperators = operators;
  }
}

function findUsableField(
  fields: Map<string, MutableField>,
  name: string,
  path: string,
  kinds: readonly FieldKind[],
  use: string,
  faults: IssueList,
): MutableField | undefined {
  const field = fields.get(name);
  if (field === undefined) {
    faults.add(path, "unknown_schema_field", `${quote(name)} is not a field of the stream`);
  } else if (!kinds.includes(field.kind)) {
    faults.add(path, "invalid_query_field_type", `${quote(name)} is of kind ${field.kind}, which cannot be ${use}`);
  }
  return field;
}
