import type { StreamDeclaration } from "@pdpp/contract/declaration";

/** How a value is written: its declared type, or that of the part of a record which it is. */
export function getValueType(declaration: StreamDeclaration | undefined, name: string, type: string): string {
  const { size, duration, recurrence } = declaration?.presentation?.fields ?? {};
  if (name === size) return "bytes";
  if (name === recurrence) return "recurrence";
  return name === duration ? "seconds" : type;
}
