import { encodeUtf8 } from "./utf8.ts";

/**
 * Estimates how many tokens a text has, too high rather than too low. Vocabularies differ between models; tests compare with
 * o200k.
 */
export function estimateTokens(text: string): number {
  const { bytes, length } = encodeUtf8(text);
  let tokens = 0;
  for (let at = 0; at < length; ) {
    const start = at;
    const kind = getKind(bytes, at);
    at += 1;
    if (kind === lower || kind === upper) {
      // A capital belongs to the lower-case letters after it.
      const rest = at < length && getKind(bytes, at) === lower ? lower : kind;
      // Letters with a vowel and without four consonants in a row look like a word.
      let consonants = isVowel(bytes, start) ? 0 : 1;
      let hasVowel = consonants === 0;
      let hasFour = false;
      for (; at < length && getKind(bytes, at) === rest; at += 1) {
        if (isVowel(bytes, at)) {
          hasVowel = true;
          consonants = 0;
        } else {
          consonants += 1;
          if (consonants === 4) hasFour = true;
        }
      }
      const isWord = hasVowel && !hasFour && (rest === lower || at - start === 1);
      tokens += countLetterTokens(at - start, isWord);
    } else {
      if (kind !== none) while (at < length && getKind(bytes, at) === kind) at += 1;
      tokens += countRunTokens(bytes, start, at, kind);
      // A space before a number is a separate token.
      if (kind === space && at - start === 1 && at < length && bytes[start] === 0x20 && getKind(bytes, at) === digit)
        tokens += 1 - oneSpace;
    }
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

/** The class of each byte; bytes above ASCII belong to foreign characters. */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (byte > 0x7f) return foreign;
  if (/[a-z]/.test(char)) return lower;
  if (/[A-Z]/.test(char)) return upper;
  if (/\d/.test(char)) return digit;
  if (/\s/.test(char)) return space;
  return byte > 0x20 && byte < 0x7f ? sign : none;
});
const vowels = Uint8Array.from({ length: 256 }, (_, byte) => (/[aeiouy]/i.test(String.fromCharCode(byte)) ? 1 : 0));

const getKind = (bytes: Uint8Array, at: number): number => kinds[bytes[at] ?? 0] ?? none;
const isVowel = (bytes: Uint8Array, at: number): boolean => vowels[bytes[at] ?? 0] === 1;

/** Words are one or a few tokens; other letters are single or pairs. */
const countLetterTokens = (length: number, isWord: boolean): number =>
  isWord && length <= 16 ? 1.1 + Math.max(0, length - 4) * 0.45 : Math.max(1, length * 0.75);

function countRunTokens(bytes: Uint8Array, start: number, end: number, kind: number): number {
  switch (kind) {
    case digit:
      return Math.ceil((end - start) / 3);
    case space:
      return countSpaceTokens(bytes, start, end);
    case foreign:
      return countForeignTokens(bytes, start, end);
    default:
      return Math.max(1, (end - start) * 0.75);
  }
}

const oneSpace = 0.35;

/** A single space belongs to the word after it; a change of white space starts another token. */
function countSpaceTokens(bytes: Uint8Array, start: number, end: number): number {
  if (end - start === 1 && bytes[start] === 0x20) return oneSpace;
  let groups = 1;
  for (let at = start + 1; at < end; at += 1) if (bytes[at] !== bytes[at - 1]) groups += 1;
  return Math.max(1, groups - 1) + (end - start) / 16;
}

function countForeignTokens(bytes: Uint8Array, start: number, end: number): number {
  let tokens = 0;
  for (let at = start; at < end; ) {
    const lead = bytes[at] ?? 0;
    const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    let code = lead & (0x3f >> more);
    for (let i = 1; i <= more; i += 1) code = (code << 6) | ((bytes[at + i] ?? 0) & 0x3f);
    tokens += countCharTokens(code);
    at += more + 1;
  }
  return tokens;
}

/** The usual maximum per character of a script, by the end of its range. */
const scripts: readonly { readonly end: number; readonly tokens: number }[] = [
  { end: 0x02ff, tokens: 1.5 }, // Latin with accents
  { end: 0x036f, tokens: 2 }, // combining marks
  { end: 0x06ff, tokens: 1 }, // Greek, Cyrillic, Hebrew, Arabic
  { end: 0x08ff, tokens: 2 },
  { end: 0x0e7f, tokens: 1.3 }, // Indic scripts, Thai
  { end: 0x1fff, tokens: 3 },
  { end: 0x206f, tokens: 1.2 }, // punctuation, joiners
  { end: 0x2fff, tokens: 2 }, // symbols
  { end: 0x30ff, tokens: 1.5 }, // kana
  { end: 0x9fff, tokens: 2.2 }, // Chinese characters
  { end: 0xabff, tokens: 3 },
  { end: 0xd7ff, tokens: 2.5 }, // Hangul
  { end: 0xfeff, tokens: 3 },
  { end: 0xffff, tokens: 2 },
  { end: 0x1efff, tokens: 4 },
  { end: 0x1faff, tokens: 3 }, // pictographs
];

function countCharTokens(code: number): number {
  for (const script of scripts) if (code <= script.end) return script.tokens;
  return 4;
}
