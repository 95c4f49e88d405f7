import { type Form, holds, type Size, sizeOf, sum } from "./size.ts";

/** Takes items of a page in turn, while there is room for them; the first always has room. */
export type PageRoom = (form: () => Form, cursor: () => string) => boolean;

/** As a rule a cursor is shorter. */
const longCursor = 400;

/** Room for so many characters of a tool's result, both forms together; without a number there is room for all. */
export function pageRoom(maxChars: number | undefined): PageRoom {
  if (maxChars === undefined) return () => true;
  let used: Size | undefined;
  return (form, cursor) => {
    const size = sizeOf(form());
    const total = used === undefined ? size : sum(used, size);
    // The cursor that goes on behind this item is in both forms. To make one costs more than to measure an item.
    const fits = () => holds(total, maxChars - 2 * longCursor) || holds(total, maxChars - 2 * cursor().length);
    if (used !== undefined && !fits()) return false;
    used = total;
    return true;
  };
}
