import type { Json, JsonObject } from "@pdpp/contract/declaration";

/** Makes values storable: no NUL, no lone surrogates, no unsafe integers, bounded nesting. */

const maxDepth = 200;

export const cleanText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") ? text : text.replaceAll("\0", "").toWellFormed();

/** Unsafe integers become strings. */
export function cleanValue(value: unknown, depth = 0): Json {
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return null;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
  }
  if (typeof value === "boolean" || value === null || value === undefined) return value ?? null;
  if (typeof value === "bigint") return value.toString();
  if (depth >= maxDepth) return "(nested too deep)";
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, depth + 1));
  if (typeof value !== "object") return null;
  const kept: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) put(kept, cleanText(key), cleanValue(inner, depth + 1));
  return kept;
}

/** Defines `__proto__` as an ordinary property. */
function put(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

export const trimToNull = (text: string | null | undefined): string | null => cleanText(text ?? "").trim() || null;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const toText = (value: unknown): string | null => (typeof value === "string" ? cleanText(value) : null);

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** An empty object if it is something else. */
export const toObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** The objects of a list; other values are dropped. */
export const toObjects = (value: unknown): Record<string, unknown>[] => toList(value).filter(isObject);

/** Accepts numbers and numeric strings. */
export function toNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** Accepts ids written as numbers. */
export const toId = (value: unknown): string | null =>
  typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value === "" ? null : toText(value);

export function dropNulls(values: Record<string, unknown>): JsonObject {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(values))
    if (value !== null && value !== undefined) put(kept, key, cleanValue(value));
  return kept;
}
