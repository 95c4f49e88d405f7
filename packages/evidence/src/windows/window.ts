import { budget } from "../sizes/budget.ts";
import { findBreakAfter, findBreakBefore } from "../text/cut.ts";
import { countChars, toUnitIndex } from "../text/text.ts";
import { findFittingEnd, findFittingStart, type WindowLimits } from "./window-limits.ts";

/**
 * Windows over a text: half-open ranges of characters that follow each other without gap or overlap. A window ends between two
 * words if that costs little, else between two grapheme clusters if it can; it never runs over its limit, and never loses a
 * character.
 */

/** So much more than the limit is looked at, to see whether a cluster goes on behind it. */
export const clusterMargin = 64;

export interface TextWindow {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** So much is given up at the most to begin and end between words: a quarter of a short window, and never more than this. */
const getMaxWordCost = (units: number): number => Math.min(budget.window.wordUnits, Math.floor(units / 4));

/**
 * The window of at most `limit` characters that begins at `start`, from a slice that begins there and goes on past the limit.
 * `limits`: what else it may not exceed. `keep`: so many characters are not given up to end between words.
 */
export function cutWindowFrom(
  slice: string,
  start: number,
  limit: number,
  limits?: WindowLimits,
  keep = 0,
): TextWindow {
  const most = toUnitIndex(slice, limit);
  const cut = limits === undefined ? most : findFittingEnd(slice.slice(0, most), limits);
  const cost = Math.min(getMaxWordCost(cut), Math.max(0, cut - toUnitIndex(slice, keep)));
  const text = slice.slice(0, findBreakBefore(slice, cut, cost));
  return { text, start, end: start + countChars(text) };
}

/** The window of at most `limit` characters that ends at `end`, from a slice that ends there and goes back past the limit, or to the beginning. */
export function cutWindowTo(slice: string, end: number, limit: number, limits?: WindowLimits): TextWindow {
  const length = countChars(slice);
  const most = length <= limit ? 0 : toUnitIndex(slice, length - limit);
  const cut = limits === undefined ? most : most + findFittingStart(slice.slice(most), limits);
  const text = slice.slice(findBreakAfter(slice, cut, getMaxWordCost(slice.length - cut)));
  return { text, start: end - countChars(text), end };
}

export interface WindowPlan {
  readonly start: number;
  readonly limit: number;
}

/** The range to show around a match: so many characters before and after it, cut to the text. */
export function planAroundMatch(
  match: { start: number; end: number },
  total: number,
  before: number,
  after: number,
): WindowPlan {
  const start = Math.max(0, match.start - before);
  return { start, limit: Math.max(1, Math.min(total, match.end + after) - start) };
}
