import { isUnspaced } from "@pdpp/language/words/unspaced";
import { findClusterEnd, findClusterStart } from "./text.ts";

/**
 * Finds where a text may be cut: between words; inside a word only if it is too long, and inside a grapheme cluster only if that
 * is.
 */

const partOfWord = /[\p{L}\p{N}\p{M}'’]/u;
/** How far around an index to look for a cluster, in UTF-16 units. */
const reach = 64;

const getCharacterBefore = (text: string, unit: number): string =>
  Array.from(text.slice(Math.max(0, unit - 2), unit)).at(-1) ?? "";
const getCharacterAfter = (text: string, unit: number): string => {
  const code = text.codePointAt(unit);
  return code === undefined ? "" : String.fromCodePoint(code);
};

/** Amounts and times count as one word; half of one would be a different number. */
const number = /^\d[.,:]\d$/;
const isInsideNumber = (text: string, unit: number): boolean =>
  number.test(text.slice(unit - 1, unit + 2)) || number.test(text.slice(Math.max(0, unit - 2), unit + 1));

const isInsideWord = (text: string, unit: number): boolean => {
  if (isInsideNumber(text, unit)) return true;
  const left = getCharacterBefore(text, unit);
  const right = getCharacterAfter(text, unit);
  return partOfWord.test(left) && partOfWord.test(right) && !isUnspaced(left) && !isUnspaced(right);
};

function isInsideCluster(text: string, unit: number): boolean {
  const from = Math.max(0, unit - reach);
  return findClusterStart(text.slice(from, unit + reach), unit - from) !== unit - from;
}

const isInsidePair = (text: string, unit: number): boolean => (text.codePointAt(unit - 1) ?? 0) > 0xffff;

const isBetweenWords = (text: string, unit: number): boolean =>
  !isInsideWord(text, unit) && !isInsideCluster(text, unit);

/** Punctuation and space that belong to the text before a passage, and after it. */
const leading = /^[\s\p{Pe}\p{Pf}.,;:!?…。、，！？]+/u;
const trailing = /[\s\p{Ps}\p{Pi}]+$/u;

const isBlank = (text: string, start: number, end: number): boolean => text.slice(start, end).trim() === "";

/** The end of a passage that starts at `from` and reaches at most to `unit`, without trailing white space. */
export function findEndWithin(text: string, from: number, unit: number): number {
  if (unit >= text.length) return text.length;
  for (let end = unit; end > from && !isBlank(text, from, end); end -= 1) {
    if (isBetweenWords(text, end)) return from + (text.slice(from, end).replace(trailing, "").length || end - from);
  }
  for (let end = unit; end > from; end -= 1) if (!isInsideCluster(text, end)) return end;
  return unit > from && isInsidePair(text, unit) ? unit - 1 : unit;
}

/** The start of a passage that ends at `to` and reaches back at most to `unit`. */
export function findStartWithin(text: string, unit: number, to: number): number {
  if (unit <= 0) return 0;
  for (let start = unit; start < to && !isBlank(text, start, to); start += 1) {
    if (isBetweenWords(text, start)) return to - (text.slice(start, to).replace(leading, "").length || to - start);
  }
  for (let start = unit; start < to; start += 1) if (!isInsideCluster(text, start)) return start;
  return unit < to && isInsidePair(text, unit) ? unit + 1 : unit;
}

/**
 * The end of a sentence or line. A period after a digit may belong to a date or ordinal, and one before a lower-case letter to
 * an abbreviation.
 */
const stop =
  /(?=\n)|[!?…]["'”’»)\]]*(?=\s)|[。！？]|(?<!\d)\.["'”’»)\]]*(?=\s+[^\p{Ll}\s])|(?<=\d\.?["'”’»)\]]?)(?=\s*\n)/gu;

function findStops(text: string, from: number, to: number): number[] {
  // A sentence end is recognized by the characters around it.
  const first = Math.max(0, from - 2);
  const around = text.slice(first, to + reach);
  return [...around.matchAll(stop)]
    .map((found) => first + found.index + found[0].length)
    .filter((unit) => unit >= from && unit <= to);
}

/** The sentences and lines between two indexes, without gaps. */
export function splitSentences(
  text: string,
  from: number,
  to: number,
): { readonly start: number; readonly end: number }[] {
  const end = Math.min(text.length, to);
  const stops = [from, ...findStops(text, from, end), ...(end === text.length ? [end] : [])];
  return stops.slice(1).map((stop, i) => ({ start: stops[i] ?? from, end: stop }));
}

const endsWithNumber = /\d\P{L}{0,3}$/u;
const startsWithNumber = /^\P{L}{0,4}\d/u;

/** Whether a cut here would separate a number from its unit, its sign, or the rest of a date or sum. */
const isBesideNumber = (text: string, unit: number): boolean =>
  endsWithNumber.test(text.slice(Math.max(0, unit - 8), unit)) || startsWithNumber.test(text.slice(unit, unit + 8));

const isGoodCut = (text: string, unit: number): boolean => isBetweenWords(text, unit) && !isBesideNumber(text, unit);

interface CutRange {
  /** Where the length alone would cut. */
  readonly at: number;
  /** The bounds within which the cut may move. */
  readonly shortest: number;
  readonly longest: number;
}

/**
 * Chooses where a passage ends: at the end of the text, else of a sentence or line, preferring a shorter passage, else away from
 * numbers.
 */
export function chooseEnd(text: string, { at, shortest: least, longest: most }: CutRange): number {
  if (most >= text.length) return text.length;
  const stops = findStops(text, least, most);
  const sentence = stops.findLast((unit) => unit <= at) ?? stops[0];
  if (sentence !== undefined) return sentence;
  for (let end = at; end > least; end -= 1)
    if (isGoodCut(text, end)) return end - (trailing.exec(text.slice(least, end))?.[0].length ?? 0);
  for (let end = at; end <= most; end += 1) if (isGoodCut(text, end)) return end;
  return at;
}

/** Chooses where a passage starts, in the same way. */
export function chooseStart(text: string, { at, shortest: least, longest: most }: CutRange): number {
  if (most <= 0) return 0;
  const stops = findStops(text, most, least)
    .map((unit) => unit + (/^\s+/.exec(text.slice(unit, least))?.[0].length ?? 0))
    .filter((unit) => unit < least);
  const sentence = stops.find((unit) => unit >= at) ?? stops.at(-1);
  if (sentence !== undefined) return sentence;
  for (let start = at; start < least; start += 1)
    if (isGoodCut(text, start)) return start + (leading.exec(text.slice(start, least))?.[0].length ?? 0);
  for (let start = at; start >= most; start -= 1) if (isGoodCut(text, start)) return start;
  return at;
}

const isSpace = (text: string, unit: number): boolean => /\s/.test(text.charAt(unit));
const isBesideSpace = (text: string, unit: number): boolean =>
  (isSpace(text, unit - 1) || isSpace(text, unit)) && !isInsideCluster(text, unit);

/** The end of a window that may reach to `unit`: between words if that costs at most `cost`, else between clusters. */
export function findBreakBefore(text: string, unit: number, cost: number): number {
  if (unit >= text.length) return text.length;
  const least = Math.max(1, unit - cost);
  for (let end = unit; end >= least; end -= 1) if (isBesideSpace(text, end)) return end;
  for (let end = unit; end >= least; end -= 1) if (isBetweenWords(text, end)) return end;
  const cluster = findClusterStart(text, unit);
  if (cluster > 0) return cluster;
  return unit > 1 && isInsidePair(text, unit) ? unit - 1 : unit;
}

/** The start of a window that may reach back to `unit`. */
export function findBreakAfter(text: string, unit: number, cost: number): number {
  if (unit <= 0) return 0;
  const most = Math.min(text.length - 1, unit + cost);
  for (let start = unit; start <= most; start += 1) if (isBesideSpace(text, start)) return start;
  for (let start = unit; start <= most; start += 1) if (isBetweenWords(text, start)) return start;
  const cluster = findClusterEnd(text, unit);
  if (cluster < text.length) return cluster;
  return isInsidePair(text, unit) ? unit + 1 : unit;
}
