/** Repairs UTF-8 that was decoded as Latin-1: `Ã¶` for `ö`. Leaves other texts alone; one file may have both. */
export function repairText(text: string): string {
  const isLatin1 = !/[\u0100-\uffff]/.test(text);
  if (!isLatin1 || !/[\u0080-\u00ff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

/** Repairs every text in a value. */
export function repairAllTexts(value: unknown): unknown {
  if (typeof value === "string") return repairText(value);
  if (Array.isArray(value)) return value.map(repairAllTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, repairAllTexts(inner)]));
}
