/** All JSON text that the command line reads is parsed here, so that callers must check its shape. */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** An object's entries, or none if the JSON is anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> {
  return toObject(parseJson(text));
}

export const toObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
