import type { JsonObject } from "@pdpp/contract/declaration";

/** Building blocks for the fields of a stream. */

export const text = (more: JsonObject = {}): JsonObject => ({ type: "string", ...more });
export const maybeText = (more: JsonObject = {}): JsonObject => ({ type: ["string", "null"], ...more });
export const title = (): JsonObject => maybeText({ x_pdpp_type: "text", x_pdpp_role: "primary-title" });
export const body = (): JsonObject => maybeText({ x_pdpp_type: "text", x_pdpp_role: "body" });
export const actor = (): JsonObject => maybeText({ x_pdpp_type: "person", x_pdpp_role: "actor" });
export const flag = (description: string): JsonObject => ({ type: "boolean", description });
export const timeZone = (description: string): JsonObject => maybeText({ x_pdpp_type: "time-zone", description });
export const count = (description: string): JsonObject => ({ type: ["integer", "null"], description });
export const number = (description: string): JsonObject => ({ type: ["number", "null"], description });
export const texts = (more: JsonObject = {}): JsonObject => ({ type: "array", items: { type: "string" }, ...more });
export const maybeTexts = (more: JsonObject = {}): JsonObject => texts({ type: ["array", "null"], ...more });
/** Other values of the export, unchanged. */
export const extra = (): JsonObject => ({ type: "object", description: "Other values from the export." });

export const eventTime = (): JsonObject => ({
  type: ["string", "null"],
  format: "date-time",
  x_pdpp_type: "timestamp",
  x_pdpp_role: "event-time",
});
export const time = (description: string): JsonObject => ({
  type: ["string", "null"],
  format: "date-time",
  x_pdpp_type: "timestamp",
  description,
});

export const blobReference = (): JsonObject => ({
  type: ["object", "null"],
  x_pdpp_type: "blob",
  x_pdpp_role: "blob-reference",
});
