/** Words that differ by one typo: a letter changed, missing or added, or two neighbours swapped. */

const minLetters = 4;
/** Typos in the first letters are generated; later ones are found among the words with the same prefix. */
export const typoPrefixLength = 3;
const alphabets = ["abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюяіє", "αβγδεζηθικλμνξοπρστυφχψω"];

const canHaveTypo = (word: string): boolean => word.length >= minLetters && /^\p{L}+$/u.test(word);

export function isTypo(word: string, form: string): boolean {
  if (!canHaveTypo(word) || word === form || Math.abs(word.length - form.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === form[start]) start += 1;
  let [end, formEnd] = [word.length, form.length];
  while (end > start && formEnd > start && word[end - 1] === form[formEnd - 1]) {
    end -= 1;
    formEnd -= 1;
  }
  const [left, formLeft] = [end - start, formEnd - start];
  if (left <= 1 && formLeft <= 1) return true;
  return left === 2 && formLeft === 2 && word[start] === form[start + 1] && word[start + 1] === form[start];
}

const plurals = ["s", "es", "e", "n", "en"];

/** One typo from the form, or from its singular: radiatr for radiators. */
export const isTypoOrPluralTypo = (word: string, form: string): boolean =>
  isTypo(word, form) ||
  (word.length > minLetters &&
    plurals.some((ending) => form.endsWith(ending) && isTypo(word, form.slice(0, form.length - ending.length))));

/** Typos whose first difference is within the first three letters. */
export function listEarlyTypos(word: string): string[] {
  if (!canHaveTypo(word)) return [];
  const letters = alphabets.find((alphabet) => alphabet.includes(word[0]!)) ?? "";
  const found = new Set<string>();
  for (let at = 0; at < typoPrefixLength; at += 1) {
    const [before, behind] = [word.slice(0, at), word.slice(at)];
    found.add(before + behind.slice(1));
    if (behind.length > 1) found.add(before + behind[1] + behind[0] + behind.slice(2));
    for (const letter of letters) {
      found.add(before + letter + behind);
      found.add(before + letter + behind.slice(1));
    }
  }
  found.delete(word);
  return [...found];
}
