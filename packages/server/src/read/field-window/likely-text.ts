import type { Clause, SearchQuery } from "@pdpp/language/query/query";
import { fold } from "@pdpp/language/words/tokenize";

/**
 * Finds the parts of a text that may contain a word of a query. Tokenizing is far more expensive than a substring
 * search in the folded text, so only the parts that pass the search are tokenized.
 */

export interface Part {
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const partUnits = 2048;
/** A part without whitespace ends here, and may split a word. */
const maxPartUnits = 16 * partUnits;
const seamUnits = 256;

const foldedCharacters = new Map<string, string>();

function foldCharacter(character: string): string {
  const held = foldedCharacters.get(character);
  if (held !== undefined) return held;
  const form = fold(character);
  foldedCharacters.set(character, form);
  return form;
}

/** Apostrophes and thousands separators, which words match without. */
const signsInWords = /'|(?<=\d)[.,\u00a0\u202f\u2009](?=\d)/g;

function foldText(text: string): string {
  const lower = text.toLowerCase().replace(signsInWords, "");
  // Decomposed, because a query may contain only the base of a composed character.
  return lower.replace(/[^\p{ASCII}]/gu, foldCharacter).normalize("NFD");
}

/** The prefixes of words that can match the clause. */
function listBeginnings(clause: Clause): readonly string[] {
  switch (clause.kind) {
    case "prefix":
      return [clause.prefix];
    case "phrase":
      return [clause.forms.reduce((longest, form) => (form.length > longest.length ? form : longest), "")];
    case "word":
      return [...clause.inflections.exact, ...clause.inflections.prefixes, ...(clause.parts ?? [])];
  }
}

export function findLikelyParts(text: string, { wanted, runs }: Pick<SearchQuery, "wanted" | "runs">): Part[] {
  const asOne = runs.flatMap(({ joined }) => joined ?? []);
  const beginnings = [...new Set([...wanted.flatMap(listBeginnings), ...asOne].map(foldText))];
  const parts = splitIntoParts(text).map((part) => {
    const form = foldText(text.slice(part.start, part.end + seamUnits));
    return { ...part, likely: beginnings.some((beginning) => form.includes(beginning)) };
  });
  const joined: Part[] = [];
  for (const [i, { start, end, likely }] of parts.entries()) {
    if (!likely && !parts[i - 1]?.likely && !parts[i + 1]?.likely) continue;
    const last = joined.at(-1);
    if (last?.end === start) joined[joined.length - 1] = { start: last.start, end };
    else joined.push({ start, end });
  }
  return joined;
}

function splitIntoParts(text: string): Part[] {
  const parts: Part[] = [];
  const space = /\s/g;
  for (let start = 0; start < text.length; ) {
    space.lastIndex = start + partUnits;
    const found = space.exec(text)?.index ?? text.length;
    let end = Math.min(found, start + maxPartUnits);
    if (end < text.length && isLow(text.charCodeAt(end))) end += 1;
    parts.push({ start, end });
    start = end;
  }
  return parts;
}

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
