import { sliceChars } from "./text.ts";

/** Highlights as tags in plain text. Tags that the text itself has are broken, so that ours are the only ones and balanced. */

export const openTag = "<mark>";
export const closeTag = "</mark>";

const foreignTag = /<(?=\/?mark\b)/gi;
const plain = (text: string): string => text.replace(foreignTag, "‹");

/** The text with tags around ranges of its characters, which are in order and do not overlap. */
export function marked(text: string, ranges: readonly { readonly start: number; readonly end: number }[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += `${plain(sliceChars(text, at, start))}${openTag}${plain(sliceChars(text, start, end))}${closeTag}`;
    at = end;
  }
  return out + plain(sliceChars(text, at, text.length));
}
