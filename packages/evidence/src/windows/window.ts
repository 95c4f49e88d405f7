import { budget } from "../sizes/budget.ts";
import { findBreakAfter, findBreakBefore } from "../text/cut.ts";
import { countChars, toUnitIndex } from "../text/text.ts";
import { findFittingEnd, findFittingStart, type WindowLimits } from "./window-limits.ts";

/**
 * Windows over a text: half-open ranges of characters without gaps or overlaps. A window ends between words if that costs
 * little, else between grapheme clusters if possible. It never exceeds its limit or drops a character.
 */

/** Extra code points read past the limit to detect a straddling grapheme. */
export const clusterMargin = 64;

export interface TextWindow {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How much a window may shrink to start and end between words: at most a quarter of a short window. */
const getMaxWordCost = (units: number): number => Math.min(budget.window.wordUnits, Math.floor(units / 4));

/**
 * The window of at most `limit` characters that starts at `start`, cut from a slice that starts there and extends past the
 * limit. `limits` bounds it further. The first `keep` characters are not given up to end between words.
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

/**
 * The window of at most `limit` characters that ends at `end`, cut from a slice that ends there and extends back past the limit
 * or to the start of the text.
 */
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

/** The range around a match, clipped to the text. */
export function planAroundMatch(
  match: { start: number; end: number },
  total: number,
  before: number,
  after: number,
): WindowPlan {
  const start = Math.max(0, match.start - before);
  return { start, limit: Math.max(1, Math.min(total, match.end + after) - start) };
}
