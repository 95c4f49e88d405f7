/** Text measured in characters. A character is one Unicode code point, in every offset we expose. */

const astral = /[\ud800-\udbff]/;
const pairs = /[\ud800-\udbff][\udc00-\udfff]/g;

export function countChars(text: string): number {
  if (!astral.test(text)) return text.length;
  let pairCount = 0;
  pairs.lastIndex = 0;
  while (pairs.test(text)) pairCount += 1;
  return text.length - pairCount;
}

/** The UTF-16 index of the n-th character; the length of the text if it is shorter. */
export function toUnitIndex(text: string, chars: number): number {
  if (!astral.test(text)) return Math.min(chars, text.length);
  let unit = 0;
  for (let n = 0; n < chars && unit < text.length; n += 1) unit += isPairAt(text, unit) ? 2 : 1;
  return unit;
}

const isPairAt = (text: string, unit: number): boolean => {
  const first = text.charCodeAt(unit);
  if (first < 0xd800 || first > 0xdbff || unit + 1 >= text.length) return false;
  const second = text.charCodeAt(unit + 1);
  return second >= 0xdc00 && second <= 0xdfff;
};

/** A word of a sentence as its first. */
export const capitalize = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** How many characters precede a UTF-16 index. */
export const toCharIndex = (text: string, unit: number): number => countChars(text.slice(0, unit));

export function sliceChars(text: string, start: number, end: number): string {
  const from = toUnitIndex(text, start);
  const rest = text.slice(from);
  return rest.slice(0, toUnitIndex(rest, Math.max(0, end - start)));
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The last grapheme cluster boundary at or before a UTF-16 index, else 0. */
export function findClusterStart(text: string, unit: number): number {
  if (unit >= text.length) return text.length;
  return graphemes.segment(text).containing(unit)?.index ?? unit;
}

/** The first grapheme cluster boundary at or after a UTF-16 index. */
export function findClusterEnd(text: string, unit: number): number {
  if (unit >= text.length) return text.length;
  const found = graphemes.segment(text).containing(unit);
  if (found === undefined || found.index === unit) return unit;
  return found.index + found.segment.length;
}
