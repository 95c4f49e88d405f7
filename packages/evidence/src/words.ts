import { stemmer } from "stemmer";

/**
 * Words of a text, the same for records and questions: case and diacritics folded, scripts without spaces as pairs of
 * characters, pictographs one by one. Offsets are UTF-16 units of the text; `text.ts` turns them into characters.
 */

export interface Word {
  /** The folded form, of letters and digits only, as it stands in the index. */
  readonly form: string;
  readonly start: number;
  readonly end: number;
}

/** Runs of letters and digits (with their marks, and apostrophes inside), or single pictographs. */
const pieces =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*|\p{Extended_Pictographic}(?:\p{M}|\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic}\ufe0f?)*|\p{Regional_Indicator}{2}/uy;
const plainWord = /^[a-z0-9]+$/;
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々]/u;
const unspacedRuns =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々\p{M}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々]+/gu;
const cluster = /\P{M}\p{M}*/gu;

/** Letters that decompose into nothing simpler, as people type them without their keyboard. */
const plainLetters: { readonly [letter: string]: string } = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ħ: "h",
  ŋ: "n",
};
const special = /[ßæœøđðþłıħŋ]/g;
/** Marks that fold away: of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs; variants of pictographs. */
const foldedMarks =
  /[\u0300-\u036f]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u064b-\u065f\u0670]|[\ufe0e\ufe0f]|\p{Emoji_Modifier}/gu;
/** What the index splits at must not be inside a form. */
const notOfWords = /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Regional_Indicator}]/gu;

export const maxFormLength = 64;

export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (plainWord.test(lower)) return lower.slice(0, maxFormLength);
  const bare = lower
    .normalize("NFKD")
    .replace(foldedMarks, "")
    .replace(special, (letter) => plainLetters[letter]!)
    .normalize("NFC")
    .toLowerCase()
    .replace(/['’]s$/, "")
    .replace(notOfWords, "");
  return Array.from(bare).slice(0, maxFormLength).join("");
}

type Visit = (form: string, start: number, end: number) => void;

const isLetterOrDigit = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
const apostrophe = 39;

/** Visits the words of a text in order. Plain ASCII words, most of what there is, take no regular expression. */
export function eachWord(text: string, visit: Visit): void {
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (isLetterOrDigit(code)) {
      const end = endOfPlainWord(text, at);
      if (end === text.length || text.charCodeAt(end) < 128) {
        visit(plainForm(text.slice(at, end)), at, end);
        at = end;
        continue;
      }
    } else if (code < 128) {
      at += 1;
      continue;
    }
    pieces.lastIndex = at;
    const piece = pieces.exec(text)?.[0];
    if (piece !== undefined) visitPiece(piece, at, visit);
    at += piece?.length ?? (text.codePointAt(at)! > 0xffff ? 2 : 1);
  }
}

function endOfPlainWord(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (!isLetterOrDigit(code) && !(code === apostrophe && isLetterOrDigit(text.charCodeAt(end + 1)))) break;
  }
  return end;
}

function plainForm(word: string): string {
  const lower = word.toLowerCase();
  const bare = lower.includes("'") ? lower.replace(/'s$/, "").replaceAll("'", "") : lower;
  return bare.length > maxFormLength ? bare.slice(0, maxFormLength) : bare;
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  eachWord(text, (form, start, end) => words.push({ form, start, end }));
  return words;
}

function visitPiece(piece: string, offset: number, visit: Visit): void {
  if (!unspaced.test(piece)) {
    visitFolded(piece, offset, visit);
    return;
  }
  for (const { 0: run, index } of piece.matchAll(unspacedRuns)) {
    if (unspaced.test(run)) visitPairs(run, offset + index, visit);
    else visitFolded(run, offset + index, visit);
  }
}

function visitFolded(piece: string, offset: number, visit: Visit): void {
  const form = fold(piece);
  if (form !== "") visit(form, offset, offset + piece.length);
}

/** Each character with its successor, the last alone: a single character is then found as the beginning of a form. */
function visitPairs(run: string, offset: number, visit: Visit): void {
  const characters = [...run.matchAll(cluster)];
  for (const [i, { 0: first, index }] of characters.entries()) {
    visitFolded(first + (characters[i + 1]?.[0] ?? ""), offset + index, visit);
  }
}

/** English words are found in their other forms too; anything else stands for itself. */
export const stemOf = (form: string): string => (/^[a-z]{3,}$/.test(form) ? stemmer(form) : form);

export const isUnspaced = (form: string): boolean => unspaced.test(form);

/** A form of an unspaced script that is one character, with its marks, and not a pair. */
export const isSingle = (form: string): boolean => isUnspaced(form) && form.match(cluster)!.length === 1;
