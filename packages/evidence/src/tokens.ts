/**
 * About how many tokens a text is, rather too many than too few. Vocabularies differ between models; this is held against
 * o200k by tests. Prose comes out about a third too high, random letters and digits about right.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const [piece, beforeDigit] of text.matchAll(
    /[A-Z]?[a-z]+|[A-Z]+|\d+|(\s+)(?=\d)|\s+|[!-/:-@[-`{-~]+|\P{ASCII}+|./gsu,
  )) {
    // A space before a number is a token of its own.
    tokens += Math.max(beforeDigit === undefined ? 0 : 1, tokensOfPiece(piece));
  }
  return Math.ceil(tokens);
}

function tokensOfPiece(piece: string): number {
  const { length } = piece;
  const first = piece.charCodeAt(0);
  if (/^[a-z]/i.test(piece)) return tokensOfLetters(piece);
  if (/^\d/.test(piece)) return Math.ceil(length / 3);
  if (/^\s/.test(piece)) return tokensOfSpace(piece);
  if (first > 0x7f) return [...piece].reduce((sum, char) => sum + tokensOfChar(char.codePointAt(0)!), 0);
  return Math.max(1, length * 0.75);
}

/** What looks like a word of some language is in the vocabulary as one or a few parts; other letters are pairs or single. */
function tokensOfLetters(letters: string): number {
  const { length } = letters;
  if (/^[A-Z]{2}/.test(letters)) return Math.max(1, length * 0.75);
  const isWord = length <= 16 && /[aeiouy]/i.test(letters) && !/[^aeiouy]{4}/i.test(letters);
  return isWord ? 1.1 + Math.max(0, length - 4) * 0.45 : Math.max(1, length * 0.75);
}

/** One space belongs to the word behind it; a change of kind begins another token. */
function tokensOfSpace(space: string): number {
  if (space === " ") return 0.35;
  const groups = space.match(/(.)\1*/gs)!.length;
  return Math.max(1, groups - 1) + space.length / 16;
}

/** The most that a character of a script takes as a rule, by the end of its range. */
const scripts: readonly (readonly [end: number, tokens: number])[] = [
  [0x02ff, 1.5], // Latin with accents
  [0x036f, 2], // combining marks
  [0x06ff, 1], // Greek, Cyrillic, Hebrew, Arabic
  [0x08ff, 2],
  [0x0e7f, 1.3], // of India, Thai
  [0x1fff, 3],
  [0x206f, 1.2], // punctuation, joiners
  [0x2fff, 2], // symbols
  [0x30ff, 1.5], // kana
  [0x9fff, 2.2], // Chinese characters
  [0xabff, 3],
  [0xd7ff, 2.5], // Hangul
  [0xfeff, 3],
  [0xffff, 2],
  [0x1efff, 4],
  [0x1faff, 3], // pictographs
];

const tokensOfChar = (code: number): number => scripts.find(([end]) => code <= end)?.[1] ?? 4;
