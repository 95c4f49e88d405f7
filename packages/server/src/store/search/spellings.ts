import { earlyTypos, typoBeginning } from "@pdpp/language/words/typos";
import { beginningWith, only, type Span, type Term } from "./dictionary.ts";

/** Other spellings of a word that nothing has. */

const longestSplit = 40;
const shortestPart = 2;

/** Early slips are spelled out; later ones are among the words that begin alike. */
export function typoSpans(form: string): Span[] {
  const early = earlyTypos(form);
  return early.length === 0 ? [] : [...early.map(only), beginningWith(form.slice(0, typoBeginning))];
}

const mixed = /\p{L}\p{N}|\p{N}\p{L}/u;

/** Every part that a word could be put together from. */
export function partSpans(form: string): Span[] {
  const characters = [...form];
  if (characters.length > longestSplit || characters.length < 2 * shortestPart || /^\p{N}{1,3}$/u.test(form)) return [];
  const parts = new Set<string>();
  for (let from = 0; from <= characters.length - shortestPart; from += 1) {
    for (let to = from + shortestPart; to <= characters.length; to += 1) {
      const part = characters.slice(from, to).join("");
      // Letters and digits are two words already.
      if (!mixed.test(part)) parts.add(part);
    }
  }
  parts.delete(form);
  return [...parts].map(only);
}

export interface Split {
  readonly forms: readonly string[];
  readonly words: readonly (readonly Term[])[];
}

/** The fewest words that stand for one when written together: `icecream` for `ice cream`. */
export function splitOf(form: string, parts: ReadonlyMap<string, readonly Term[]>): Split | undefined {
  const characters = [...form];
  const best: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= characters.length; end += 1) {
    for (let from = 0; from < end; from += 1) {
      const before = best[from];
      const part = characters.slice(from, end).join("");
      if (before === undefined || !parts.has(part)) continue;
      if (best[end] === undefined || before.length + 1 < (best[end]?.length ?? 0)) best[end] = [...before, part];
    }
  }
  const forms = best[characters.length];
  return forms === undefined ? undefined : { forms, words: forms.map((part) => parts.get(part) ?? []) };
}
