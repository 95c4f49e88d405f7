import type { Clause } from "@pdpp/evidence/query";
import { fold } from "@pdpp/evidence/words";

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

function folded(text: string): string {
  const lower = text.toLowerCase().replaceAll("'", "");
  // Decomposed, for a word that is written so may be asked for by half of a composed character.
  return lower.replace(/[^\p{ASCII}]/gu, foldedCharacter).normalize("NFD");
}

const isStemmed = /^[a-z]{3,}$/;

/** How every word begins that can prove the clause. A word's forms differ from its stem in its last letter at most. */
function beginningOf(clause: Clause): string {
  switch (clause.kind) {
    case "prefix":
      return folded(clause.prefix);
    case "phrase":
      return folded(clause.forms.reduce((longest, form) => (form.length > longest.length ? form : longest), ""));
    case "word":
      return isStemmed.test(clause.form)
        ? clause.stem.slice(0, Math.max(1, clause.stem.length - 1))
        : folded(clause.form);
  }
}

/** The parts in order, those with a likely word and the ones beside them; neighbours come as one. */
export function likelyParts(text: string, clauses: readonly Clause[]): Part[] {
  const beginnings = clauses.map(beginningOf);
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
