/**
 * About how many tokens a text is, rather too many than too few. Vocabularies differ between models; this is held against
 * o200k by tests. Prose comes out about a third too high, random letters and digits about right.
 */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const kind = classAt(text, at);
    const end = kind === lower || kind === upper ? endOfLetters(text, at) : endOfRun(text, at, kind);
    tokens += tokensOfPiece(text, at, end, kind);
    at = end;
  }
  return Math.ceil(tokens);
}

const none = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const space = 4;
const sign = 5;
const foreign = 6;

/** The class of each ASCII character; what is beyond is foreign. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z]/.test(char)) return lower;
  if (/[A-Z]/.test(char)) return upper;
  if (/\d/.test(char)) return digit;
  if (/\s/.test(char)) return space;
  return code > 0x20 && code < 0x7f ? sign : none;
});
const vowels = Uint8Array.from({ length: 128 }, (_, code) => (/[aeiouy]/i.test(String.fromCharCode(code)) ? 1 : 0));

const classAt = (text: string, at: number): number => classes[text.charCodeAt(at)] ?? foreign;

function endOfRun(text: string, start: number, kind: number): number {
  let end = start + 1;
  if (kind !== none) while (end < text.length && (classes[text.charCodeAt(end)] ?? foreign) === kind) end += 1;
  return end;
}

/** A capital belongs to the small letters behind it. */
function endOfLetters(text: string, start: number): number {
  const second = start + 1 < text.length ? classAt(text, start + 1) : none;
  return endOfRun(text, start, second === lower ? lower : classAt(text, start));
}

function tokensOfPiece(text: string, start: number, end: number, kind: number): number {
  const length = end - start;
  switch (kind) {
    case lower:
    case upper:
      return tokensOfLetters(text, start, end);
    case digit:
      return Math.ceil(length / 3);
    case space:
      // A space before a number is a token of its own.
      return Math.max(end < text.length && classAt(text, end) === digit ? 1 : 0, tokensOfSpace(text, start, end));
    case foreign:
      return tokensOfForeign(text, start, end);
    default:
      return Math.max(1, length * 0.75);
  }
}

/** What looks like a word of some language is in the vocabulary as one or a few parts; other letters are pairs or single. */
function tokensOfLetters(text: string, start: number, end: number): number {
  const length = end - start;
  if (length > 1 && classAt(text, start + 1) === upper) return Math.max(1, length * 0.75);
  return length <= 16 && isPronounceable(text, start, end)
    ? 1.1 + Math.max(0, length - 4) * 0.45
    : Math.max(1, length * 0.75);
}

/** It has a vowel, and nowhere four letters that are none. */
function isPronounceable(text: string, start: number, end: number): boolean {
  let consonants = 0;
  let sounds = false;
  for (let at = start; at < end; at += 1) {
    if (vowels[text.charCodeAt(at)] === 1) {
      sounds = true;
      consonants = 0;
    } else {
      consonants += 1;
      if (consonants === 4) return false;
    }
  }
  return sounds;
}

/** One space belongs to the word behind it; a change of kind begins another token. */
function tokensOfSpace(text: string, start: number, end: number): number {
  if (end - start === 1 && text[start] === " ") return 0.35;
  let groups = 1;
  for (let at = start + 1; at < end; at += 1) if (text[at] !== text[at - 1]) groups += 1;
  return Math.max(1, groups - 1) + (end - start) / 16;
}

function tokensOfForeign(text: string, start: number, end: number): number {
  let tokens = 0;
  for (let at = start; at < end; ) {
    const code = text.codePointAt(at) ?? 0;
    tokens += tokensOfChar(code);
    at += code > 0xffff ? 2 : 1;
  }
  return tokens;
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
