import type { JsonObject } from "@pdpp/contract/declaration";
import type { z } from "zod";

/** Every JSON text that the server reads is parsed here: validated, or asserted by name. */

/** For untrusted text. The caller must check the result. */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** For untrusted text with a known shape. Throws a `ZodError` if it has another one. */
export function parseJsonAs<T>(schema: z.ZodType<T>, text: string): T {
  return schema.parse(JSON.parse(text));
}

/** For text that this program has written itself from a value of type `T`, such as a column of its tables. */
export function parseStoredJson<T>(text: string): T {
  const value: T = JSON.parse(text);
  return value;
}

/** For the data of a record. */
export function parseJsonObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError("the stored JSON is not an object");
  return value;
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
