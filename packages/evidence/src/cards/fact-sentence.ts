import { findEncodedRuns } from "../fields/binary.ts";
import { overlaps } from "../passages/passages.ts";
import { splitSentences } from "../text/cut.ts";

/** Finds a sentence worth showing in addition to the start of a text. */

/** How much of a text is searched. */
const scanUnits = 4000;

/** A currency sign or code, or a percent sign, next to a number; or a number with two decimals. */
const amount = /(?:\p{Sc}|\b[A-Z]{3})\s?\d|\d\s?(?:\p{Sc}|%|[A-Z]{3}\b)|\d[.,]\d\d(?!\d)/u;
const number = /\d\d/;
const quoted = /^\s*>/;

/**
 * Finds the last sentence or line after `from` that states an amount, else the last with a number: texts start with a greeting
 * or heading and settle the matter at the end. Skips quoted lines and encoded bytes.
 */
export function findFactSentence(text: string, from: number, maxChars: number): string | undefined {
  const runs = findEncodedRuns(text.slice(0, from + scanUnits));
  const sentences = splitSentences(text, from, from + scanUnits)
    .filter((range) => !runs.some((run) => overlaps(run, range)))
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => sentence.length <= maxChars && !quoted.test(sentence));
  return sentences.findLast((each) => amount.test(each)) ?? sentences.findLast((each) => number.test(each));
}
