import type { Clause, SearchQuery } from "@pdpp/language/query/query";
import { fold } from "@pdpp/language/words/words";

/**
 * Which parts of a text can hold a word of a query at all. To tell words apart costs far more than to look how they begin in the
 * text folded as a whole, so that comes first, and the words of the parts that are left.
 */

export interface Part {
  /** In UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const partUnits = 2048;
/** Without white space a part ends here, and a word may go on behind it. */
const mostUnits = 16 * partUnits;
const seamUnits = 256;

const foldedCharacters = new Map<string, string>();

function foldedCharacter(character: string): string {
  const held = foldedCharacters.get(character);
  if (held !== undefined) return held;
  const form = fold(character);
  foldedCharacters.set(character, form);
  return form;
}

/** Apostrophes, and what stands between the thousands of a number: the word is found without them too. */
const signsInWords = /'|(?<=\d)[.,\u00a0\u202f\u2009](?=\d)/g;

function folded(text: string): string {
  const lower = text.toLowerCase().replace(signsInWords, "");
  // Decomposed, for a word that is written so may be asked for by half of a composed character.
  return lower.replace(/[^\p{ASCII}]/gu, foldedCharacter).normalize("NFD");
}

/** How the words begin that can prove the clause. */
function beginningsOf(clause: Clause): readonly string[] {
  switch (clause.kind) {
    case "prefix":
      return [clause.prefix];
    case "phrase":
      return [clause.forms.reduce((longest, form) => (form.length > longest.length ? form : longest), "")];
    case "word":
      return [...clause.family.exact, ...clause.family.beginnings, ...(clause.parts ?? [])];
  }
}

/** The parts in order, those with a likely word and the ones beside them; neighbours come as one. */
export function likelyParts(text: string, { wanted, runs }: Pick<SearchQuery, "wanted" | "runs">): Part[] {
  const asOne = runs.flatMap(({ joined }) => joined ?? []);
  const beginnings = [...new Set([...wanted.flatMap(beginningsOf), ...asOne].map(folded))];
  const parts = partsOf(text).map((part) => {
    const form = folded(text.slice(part.start, part.end + seamUnits));
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

/** Parts end at white space, which is in no word; where there is none for long, between two characters. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  const space = /\s/g;
  for (let start = 0; start < text.length; ) {
    space.lastIndex = start + partUnits;
    const found = space.exec(text)?.index ?? text.length;
    let end = Math.min(found, start + mostUnits);
    if (end < text.length && isLow(text.charCodeAt(end))) end += 1;
    parts.push({ start, end });
    start = end;
  }
  return parts;
}

const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
