import { listEarlyTypos, typoPrefixLength } from "@pdpp/language/words/typos";
import { requireItem } from "../require-item.ts";
import { matchPrefix, matchTerm, type SegmentTerm, type TermMatches, type TermRange } from "./term-lookup.ts";

/** Other spellings of a word that no document contains. */

/** Typos in the first letters are enumerated; the others are among the terms with the same prefix. */
export function listTypoRanges(word: string): TermRange[] {
  const early = listEarlyTypos(word);
  return early.length === 0 ? [] : [...early.map(matchTerm), matchPrefix(word.slice(0, typoPrefixLength))];
}

const maxSplitLength = 40;
const minPartLength = 2;
const lettersAndDigits = /\p{L}\p{N}|\p{N}\p{L}/u;

/** Every part that the word could be a combination of. */
export function listPartRanges(word: string): TermRange[] {
  const characters = [...word];
  const canSplit = characters.length <= maxSplitLength && characters.length >= 2 * minPartLength;
  if (!canSplit || /^\p{N}{1,3}$/u.test(word)) return [];
  const parts = new Set<string>();
  for (let from = 0; from <= characters.length - minPartLength; from += 1) {
    for (let to = from + minPartLength; to <= characters.length; to += 1) {
      const part = characters.slice(from, to).join("");
      // The tokenizer splits between letters and digits.
      if (!lettersAndDigits.test(part)) parts.add(part);
    }
  }
  parts.delete(word);
  return [...parts].map(matchTerm);
}

export interface SplitWord {
  readonly words: readonly string[];
  readonly terms: readonly (readonly SegmentTerm[])[];
}

/** Splits a word into as few of these parts as possible: `icecream` into `ice cream`. */
export function splitWord(word: string, parts: TermMatches): SplitWord | undefined {
  const characters = [...word];
  const best: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= characters.length; end += 1) {
    for (let from = 0; from < end; from += 1) {
      const [before, held] = [best[from], best[end]];
      const part = characters.slice(from, end).join("");
      if (before === undefined || !parts.has(part)) continue;
      if (held === undefined || before.length + 1 < held.length) best[end] = [...before, part];
    }
  }
  const words = best[characters.length];
  return words && { words, terms: words.map((part) => requireItem(parts.get(part))) };
}
