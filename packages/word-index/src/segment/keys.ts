/**
 * Dictionary keys. The first character holds the field and the direction: odd codes for terms as they are, even codes for
 * reversed terms. Long words have a reversed key too, so that a prefix search finds the compounds a word ends.
 */

export const makeKey = (field: number, term: string): string => String.fromCharCode(1 + 2 * field) + term;

/** Takes a term that is reversed already. */
export const makeReversedKey = (field: number, reversed: string): string =>
  String.fromCharCode(2 + 2 * field) + reversed;

export const isReversedKey = (key: string): boolean => key.charCodeAt(0) % 2 === 0;
export const getKeyField = (key: string): number => (key.charCodeAt(0) - 1) >> 1;
/** The term of a key, still reversed if the key is. */
export const getKeyTerm = (key: string): string => key.slice(1);

export function reverseTerm(term: string): string {
  let reversed = "";
  for (const character of term) reversed = character + reversed;
  return reversed;
}

const minCompoundLength = 9;
const latinLetters = /^[a-z]+$/;
export const canBeCompound = (term: string): boolean => term.length >= minCompoundLength && latinLetters.test(term);
