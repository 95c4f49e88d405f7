import { budget } from "./budget.ts";
import { estimateTokens } from "./tokens.ts";
import { countBytes } from "./utf8.ts";

/** How much of a tool result some parts take. A result carries every part twice: in its text and in its structured JSON. */
export interface Size {
  /** Characters of both copies, escaped as they are sent. */
  readonly chars: number;
  readonly textBytes: number;
  readonly jsonBytes: number;
  /** Estimated tokens of the larger copy. Computed on demand: counting tokens is slow, and the byte count usually decides. */
  countTokens(): number;
}

/** The size of one part. `metaChars` counts what is sent besides the two copies. */
export function measureTexts(text: string, json: string, metaChars = 0): Size {
  // Each copy is followed by a separator: a line break or a comma.
  const separator = 1;
  return {
    chars: JSON.stringify(text).length + json.length + separator + metaChars,
    textBytes: countBytes(text) + separator,
    jsonBytes: countBytes(json) + separator,
    countTokens: once(() => Math.max(estimateTokens(text), estimateTokens(json)) + separator),
  };
}

export const addSizes = (a: Size, b: Size): Size => ({
  chars: a.chars + b.chars,
  textBytes: a.textBytes + b.textBytes,
  jsonBytes: a.jsonBytes + b.jsonBytes,
  countTokens: once(() => a.countTokens() + b.countTokens()),
});

function once(compute: () => number): () => number {
  let value: number | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}

/** Reserved in each copy for what the result says about the page as a whole. */
const reserved = { bytes: 3000, tokens: 900 };
/** One-letter words are the most expensive text. */
const maxTokensPerByte = 1.1;

/** Whether parts of this size fit into one result with at most `maxChars` characters in both copies together. */
export function fitsResult(size: Size, maxChars: number): boolean {
  const bytes = Math.max(size.textBytes, size.jsonBytes);
  if (size.chars > maxChars || bytes > budget.result.maxBytes - reserved.bytes) return false;
  const maxTokens = budget.result.maxTokens - reserved.tokens;
  return bytes * maxTokensPerByte <= maxTokens || size.countTokens() <= maxTokens;
}

/** The largest number of items, at least one, for which `fits` holds. */
export function findMostFitting(count: number, fits: (items: number) => boolean): number {
  let [low, high] = [1, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
