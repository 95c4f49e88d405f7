import type { JsonObject } from "@pdpp/contract/declaration";
import { budget } from "../sizes/budget.ts";
import { tokensOf } from "../sizes/tokens.ts";
import { bytesOf } from "../sizes/utf8.ts";

/** How large a tool's result may be. The tightest host passes 8,000 characters of it, both forms together. */
export const sizes = {
  /** With the arguments that a tool has by itself. */
  raw: 8000,
  /** A whole document, the last rung. */
  rawDocument: 24_000,
  /** With any arguments, in each form. */
  formBytes: budget.result.formBytes,
  formTokens: budget.result.formTokens,
  /** So much both forms can have together at the most. */
  bothForms: 2 * budget.result.formBytes,
  lineChars: budget.result.lineChars,
  /** So much of a text every host shows, whatever it cuts. */
  headChars: 1500,
  envelopeChars: budget.result.envelopeChars,
} as const;

/** A piece of a result in its two forms: lines of text, and objects. */
export interface Form {
  readonly lines: readonly string[];
  readonly objects: readonly JsonObject[];
  /** The stored files that it names, for the result's `_meta`. */
  readonly uris?: readonly string[];
}

/** What pieces of a result take together: characters as they go out, and bytes and tokens of each form. */
export interface Size {
  readonly chars: number;
  readonly textBytes: number;
  readonly objectBytes: number;
  /** The greater of the two forms. To count them costs more than all the rest, and is seldom needed. */
  tokens(): number;
}

export function sizeOf({ lines, objects, uris = [] }: Form): Size {
  const text = lines.join("\n");
  const written =
    objects.length === 1 ? JSON.stringify(objects[0]) : objects.map((each) => JSON.stringify(each)).join();
  let counted: number | undefined;
  // One more of each: the line end, or the comma, before what follows. To append it here would cost more than to count.
  return {
    chars: JSON.stringify(text).length + written.length + 1 + (uris.length === 0 ? 0 : JSON.stringify(uris).length),
    textBytes: bytesOf(text) + 1,
    objectBytes: bytesOf(written) + 1,
    tokens() {
      counted ??= Math.max(tokensOf(text), tokensOf(written)) + 1;
      return counted;
    },
  };
}

export function sum(a: Size, b: Size): Size {
  let counted: number | undefined;
  return {
    chars: a.chars + b.chars,
    textBytes: a.textBytes + b.textBytes,
    objectBytes: a.objectBytes + b.objectBytes,
    tokens() {
      counted ??= a.tokens() + b.tokens();
      return counted;
    },
  };
}

/** Whether so much goes into one result. `chars`: both forms together. */
export function holds(size: Size, chars: number): boolean {
  const bytes = Math.max(size.textBytes, size.objectBytes);
  if (size.chars > chars || bytes > sizes.formBytes - reserve.bytes) return false;
  const tokens = sizes.formTokens - reserve.tokens;
  return bytes * mostTokensOfByte <= tokens || size.tokens() <= tokens;
}

/** Of each form, for what is said of the page as a whole. */
const reserve = { bytes: 3000, tokens: 900 };
/** A word of one letter is the dearest. */
const mostTokensOfByte = 1.1;

/** The most items, at least one, with which an answer fits. */
export function mostFitting(count: number, fitsWith: (items: number) => boolean): number {
  let [low, high] = [1, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitsWith(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
