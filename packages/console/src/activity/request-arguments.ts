import type { Json } from "@pdpp/contract/declaration";
import type { AccessDocument } from "@pdpp/contract/owner";
import type { Names } from "../frame/names.ts";

/** The arguments of a logged request. An agent wrote them, so any of them may be missing or of another type. */
export interface RequestArguments {
  readonly operation: string;
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  texts(name: string): readonly string[];
  readonly filters: readonly RequestFilter[];
  /** A field's label in the source that was read. */
  labelField(path: string): string;
  labelStream(stream: string): string;
}

export interface RequestFilter {
  readonly field: string;
  /** Like `≥`; absent if the field must have exactly this value. */
  readonly sign?: string;
  readonly value: string;
}

/** The sources that were read, or the requested one. */
export function listSources({ connection_ids: read, request }: AccessDocument): readonly string[] {
  const asked = request?.arguments.connection_id;
  return read.length > 0 || typeof asked !== "string" || asked === "*" ? read : [asked];
}

/** The stream that was read, or the requested one. */
export function findStream({ stream, request }: AccessDocument): string | null {
  const asked = request?.arguments.stream;
  return stream ?? (typeof asked === "string" ? asked : null);
}

export function openArguments(entry: AccessDocument, names: Names): RequestArguments | undefined {
  const { request } = entry;
  if (request == null) return undefined;
  const held = request.arguments;
  const get = (name: string): Json | undefined => (Object.hasOwn(held, name) ? held[name] : undefined);
  const text = (name: string): string | undefined => {
    const value = get(name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const [source = ""] = listSources(entry);
  const stream = findStream(entry) ?? "";
  const labelField = (path: string): string => names.field(source, stream, path);
  return {
    operation: request.operation,
    text,
    number: (name) => {
      const value = get(name);
      return typeof value === "number" ? value : undefined;
    },
    texts: (name) => {
      const value = get(name);
      return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
    },
    filters: listFilters(get("filter"), labelField),
    labelField,
    labelStream: (name) => names.stream(source, name),
  };
}

const signs: Readonly<Record<string, string>> = { gte: "≥", gt: ">", lte: "≤", lt: "<" };

function listFilters(filter: Json | undefined, labelField: (path: string) => string): RequestFilter[] {
  if (!isObject(filter)) return [];
  return Object.entries(filter).flatMap(([path, operand]) => {
    const field = labelField(path);
    if (!isObject(operand)) return [{ field, value: formatValue(operand) }];
    return Object.entries(operand).map(([operator, value]) => ({
      field,
      sign: signs[operator] ?? operator,
      value: formatValue(value),
    }));
  });
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const formatValue = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));
