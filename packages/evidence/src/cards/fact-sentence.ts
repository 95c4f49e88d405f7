import { findEncodedRuns } from "../fields/binary.ts";
import { overlaps } from "../passages/passages.ts";
import { splitSentences } from "../text/cut.ts";

/** Which sentence of a text is worth showing beside its beginning. */

/** So much of a text is looked at. */
const scanUnits = 4000;

/** A currency sign or code, or a percent sign, next to a number; or a number with two decimals. */
const amount = /(?:\p{Sc}|\b[A-Z]{3})\s?\d|\d\s?(?:\p{Sc}|%|[A-Z]{3}\b)|\d[.,]\d\d(?!\d)/u;
const number = /\d\d/;
const quoted = /^\s*>/;

/**
 * Finds the last sentence or line from `from` on that states an amount, else the last that has a number: texts begin with a greeting
 * or a heading and settle the matter at the end. Lines quoted from another message, and encoded bytes, are passed over.
 */
export function findFactSentence(text: string, from: number, maxChars: number): string | undefined {
  const runs = findEncodedRuns(text.slice(0, from + scanUnits));
  const sentences = splitSentences(text, from, from + scanUnits)
    .filter((range) => !runs.some((run) => overlaps(run, range)))
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => sentence.length <= maxChars && !quoted.test(sentence));
  return sentences.findLast((each) => amount.test(each)) ?? sentences.findLast((each) => number.test(each));
}
