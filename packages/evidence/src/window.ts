import { charIndex, charLength, clusterEnd, clusterStart, unitIndex } from "./text.ts";

/**
 * Windows over a text: half-open ranges of characters that follow each other without gap or overlap. A window ends between two
 * grapheme clusters if it can; it never runs over its limit, and never loses a character.
 */

/** So much more than the limit is looked at, to see whether a cluster goes on behind it. */
export const clusterMargin = 64;

export interface TextWindow {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The window of at most `limit` characters that begins at `start`, from a slice that begins there and goes on past the limit. */
export function windowFrom(slice: string, start: number, limit: number): TextWindow {
  const cut = unitIndex(slice, limit);
  if (cut >= slice.length) return { text: slice, start, end: start + charLength(slice) };
  const kept = clusterStart(slice, cut);
  const text = slice.slice(0, kept > 0 ? kept : cut);
  return { text, start, end: start + charLength(text) };
}

/** Where the window before `start` begins, from a slice that ends at `start` and holds at least `limit` characters, or all. */
export function startBefore(slice: string, start: number, limit: number): number {
  const length = charLength(slice);
  if (length <= limit) return start - length;
  const cut = unitIndex(slice, length - limit);
  const kept = clusterEnd(slice, cut);
  return start - (length - charIndex(slice, kept < slice.length ? kept : cut));
}

export interface WindowPlan {
  readonly start: number;
  readonly limit: number;
}

/** The range to show around a match: so many characters before and after it, cut to the text. */
export function aroundMatch(
  match: { start: number; end: number },
  total: number,
  before: number,
  after: number,
): WindowPlan {
  const start = Math.max(0, match.start - before);
  return { start, limit: Math.max(1, Math.min(total, match.end + after) - start) };
}
