import { createRequire } from "node:module";

let measure: ((text: string) => number) | undefined;

/** Latin letters and common punctuation: one column each, and none of them combines with another. */
const plain = /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2026]*$/;

/** Columns of a terminal that a text takes. */
export function measureWidth(text: string): number {
  if (plain.test(text)) return text.length;
  // Its tables of emojis take longer to load than all else that a short command does, so it waits for a text that needs them.
  measure ??= (createRequire(import.meta.url)("string-width") as typeof import("string-width")).default;
  return measure(text);
}
