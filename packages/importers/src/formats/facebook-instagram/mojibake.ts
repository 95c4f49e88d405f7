/** Repairs UTF-8 that was decoded as Latin-1: `Ã¶` for `ö`. Leaves other texts alone; one file may have both. */
export function repaired(text: string): string {
  const isLatin1 = !/[\u0100-\uffff]/.test(text);
  if (!isLatin1 || !/[\u0080-\u00ff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

/** Repairs every text in a value. */
export function repairedAll(value: unknown): unknown {
  if (typeof value === "string") return repaired(value);
  if (Array.isArray(value)) return value.map(repairedAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, repairedAll(inner)]));
}
