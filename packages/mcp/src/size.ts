import { estimateTokens } from "@pdpp/evidence/sizes/tokens";
import { countBytes } from "@pdpp/evidence/sizes/utf8";
import { formatCall, type ToolCall } from "./layout/call.ts";
import { sizes } from "./layout/part.ts";
import type { Answer } from "./tool.ts";

/** Characters of the result, without what the protocol adds. */
export const countChars = ({ structured, text, meta }: Answer): number =>
  JSON.stringify({ content: [{ type: "text", text }], structuredContent: structured, _meta: meta }).length +
  sizes.envelopeChars;

const isWithinLimits = (form: string): boolean =>
  countBytes(form) <= sizes.maxBytes && estimateTokens(form) <= sizes.maxTokens;

export function fitsTextAndObject({ structured, text }: Answer): boolean {
  return (
    isWithinLimits(text) &&
    isWithinLimits(JSON.stringify(structured)) &&
    text.split("\n").every((line) => line.length <= sizes.lineChars)
  );
}

/** Whether a result is small enough. `most` limits text and object together, unless the caller chose a size. */
export const fits = (answer: Answer, most: number = Number.POSITIVE_INFINITY): boolean =>
  countChars(answer) <= most && fitsTextAndObject(answer);

/** Characters for counts, a warning and the text around them. */
const pageWords = 420;

/**
 * Characters available for the items of a page, besides the page's own lines and the next call. `added` is what the
 * tool adds to the items.
 */
export function computeItemRoom(most: number, next: ToolCall, added = 0): number {
  const calls = JSON.stringify(formatCall(next)).length + JSON.stringify(next).length;
  return Math.max(1, Math.min(most, sizes.bothCopies) - sizes.envelopeChars - pageWords - calls - added);
}

/**
 * Formats a page the server has cut to fit. An item too large on its own is shown in brief, with the call that reads
 * it.
 */
export function formatPage<P extends { readonly data: readonly unknown[] }>(
  page: P,
  most: number,
  answer: (page: P, brief: boolean) => Answer,
): Answer {
  const whole = answer(page, false);
  // Several items were measured together when the server ended the page.
  return page.data.length > 1 || fits(whole, most) ? whole : answer(page, true);
}
