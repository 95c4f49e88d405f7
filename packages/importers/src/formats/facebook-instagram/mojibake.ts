/** Texts whose UTF-8 was read as Latin-1 before it was written: `Ã¶` for `ö`. Others stay as they are; one file has both. */
export function repaired(text: string): string {
  const isLatin1 = !/[\u0100-\uffff]/.test(text);
  if (!isLatin1 || !/[\u0080-\u00ff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

/** The same for every text in a value. */
export function repairedAll(value: unknown): unknown {
  if (typeof value === "string") return repaired(value);
  if (Array.isArray(value)) return value.map(repairedAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, repairedAll(inner)]));
}
