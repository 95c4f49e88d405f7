import { fold } from "./fold.ts";

/** Splits a run of letters and digits at apostrophes, at camelCase boundaries, and between letters and digits. */

export interface WordPart {
  readonly form: string;
  readonly start: number;
  readonly end: number;
  /** Another part has the same offsets: ½ is 1 and 2. */
  readonly isShared: boolean;
}

/** Digits; signs like ² and ½; an acronym, possibly with a plural s; a word. */
const partPattern =
  /\p{Nd}+|[\p{No}\p{Nl}]+|(?:\p{Lu}[\p{M}\u00ad\u200d]*){2,}s(?![\p{L}\p{M}])|(?:\p{Lu}[\p{M}\u00ad\u200d]*)+(?![\p{M}\u00ad\u200d]*\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}'’‘ʼ＇·׳״"\u200c]+/gu;
const fraction = /^\p{No}$/u;

/** A run with more parts than this, most of them tiny, is an opaque identifier. */
const maxParts = 4;
const minLettersPerPart = 3;

export const isMixedIdentifier = (parts: number, whole: string): boolean =>
  parts > maxParts && whole.length < minLettersPerPart * parts;

export function splitWord(run: string): WordPart[] {
  const found = [...run.matchAll(partPattern)];
  if (found.length > maxParts && isMixedIdentifier(found.length, fold(run))) return createParts(run, 0);
  return found.flatMap(({ 0: text, index }) => createParts(text, index));
}

function createParts(text: string, start: number): WordPart[] {
  const end = start + text.length;
  if (fraction.test(text)) {
    const [upper, lower] = text.normalize("NFKD").split("⁄");
    if (lower !== undefined)
      return [upper!, lower].filter((form) => form !== "").map((form) => ({ form, start, end, isShared: true }));
  }
  const form = fold(text);
  return form === "" ? [] : [{ form, start, end, isShared: false }];
}
