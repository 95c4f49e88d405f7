import { addSizes, fitsResult, type Size } from "./size.ts";

/** Whether the next item still fits on the page. The first item always does. */
export type FitsPage = (measureItem: () => Size, cursorAfter: () => string) => boolean;

/** Most cursors are shorter. */
const longCursorChars = 400;

/** Limits a page to `maxChars` characters of a tool result; without a number everything fits. */
export function createPageLimit(maxChars: number | undefined): FitsPage {
  if (maxChars === undefined) return () => true;
  let used: Size | undefined;
  return (measureItem, cursorAfter) => {
    const size = measureItem();
    const total = used === undefined ? size : addSizes(used, size);
    // Both copies of the result carry the cursor. Sealing one costs more than measuring an item, so first assume a long one.
    const fits = () =>
      fitsResult(total, maxChars - 2 * longCursorChars) || fitsResult(total, maxChars - 2 * cursorAfter().length);
    if (used !== undefined && !fits()) return false;
    used = total;
    return true;
  };
}
