import type { Json, JsonObject } from "./manifest/declaration.ts";

export const maxKeyChars = 4096;

function formatKeyPart(value: Json | undefined): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return null;
}

/** Builds the canonical record key: the key value as text, or a minified JSON array of texts for a compound key. */
export function buildRecordKey(primaryKey: readonly string[], data: JsonObject): string | null {
  const parts: string[] = [];
  for (const name of primaryKey) {
    const part = Object.hasOwn(data, name) ? formatKeyPart(data[name]) : null;
    if (part === null || part === "") return null;
    parts.push(part);
  }
  return parts.length === 1 ? parts[0]! : JSON.stringify(parts);
}

/** Normalizes a key as sent: a text, or the list of its parts. */
export function normalizeKey(key: unknown, primaryKey: readonly string[]): string | null {
  if (Array.isArray(key)) {
    const parts = key.map((part) => formatKeyPart(part as Json));
    if (parts.length !== primaryKey.length || parts.some((part) => part === null || part === "")) return null;
    return parts.length === 1 ? parts[0]! : JSON.stringify(parts);
  }
  const text = formatKeyPart(key as Json);
  return text === "" ? null : text;
}
