import { findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import type { Names } from "./names.ts";

/** Fields that identify records and mean nothing to people. They are folded on pages and not default columns. */
export function listTechnicalFields(names: Names, source: string, stream: string): ReadonlySet<string> {
  const declaration = names.declaration(source, stream);
  if (declaration === undefined) return new Set();
  const streams = names.sources.find(({ id }) => id === source)?.streams ?? [];
  const keys = streams.flatMap(({ name }) => {
    const relationships = names.declaration(source, name)?.relationships ?? [];
    return relationships.filter((each) => name === stream || each.stream === stream).map((each) => each.foreignKey);
  });
  const { thread, series } = declaration.presentation?.fields ?? {};
  const all = [...declaration.primaryKey, ...keys, declaration.conversation?.within, thread, series];
  return new Set(all.filter((name) => name !== undefined && identifies(declaration, name)) as string[]);
}

function identifies(declaration: StreamDeclaration, name: string): boolean {
  const field = findField(declaration, name);
  return field !== undefined && field.role === undefined && (field.kind === "text" || field.kind === "integer");
}

const idShapes = [
  /^[0-9a-f]{16,}$/i,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}={0,2}$/,
  /^<[^<>\s]+@[^<>\s]+>$/,
];

/** Whether a value is a hash, a UUID or a similar id. */
export const looksLikeId = (value: unknown): boolean =>
  typeof value === "string" && value.length <= 200 && idShapes.some((shape) => shape.test(value));
