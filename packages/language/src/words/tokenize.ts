import { stemmer } from "stemmer";
import { fold, maxFormLength } from "./fold.ts";
import { isMixedIdentifier, splitWord } from "./split-word.ts";
import { isUnspaced } from "./unspaced.ts";

/**
 * Splits records and queries into words: case and diacritics folded, unspaced scripts as pairs of characters, pictographs one by
 * one. Offsets are UTF-16 units.
 *
 * Some words consist of parts: l'assurance, getUserById, 10km, 1,234. Each part is a word at its own position, and so is the
 * whole, at the position of its first part: `brien` and `obrien` both find O'Brien.
 */

export interface Word {
  /** Folded to letters and digits, as in the index. */
  readonly form: string;
  readonly start: number;
  readonly end: number;
  /** Counted from 0. The words of a phrase have consecutive positions. */
  readonly position: number;
}

type VisitWord = (form: string, start: number, end: number, position: number) => void;

/** Runs of letters and digits, with marks and inner punctuation, or single pictographs and currency signs. */
const pieces =
  /(?!ʼ)[\p{L}\p{N}](?:(?!ʼ)[\p{L}\p{N}\p{M}\u00ad\u200d])*(?:(?:['’‘ʼ＇·׳״\u200c]|(?<=\p{sc=Hebrew})"(?=\p{sc=Hebrew}))(?!ʼ)[\p{L}\p{N}](?:(?!ʼ)[\p{L}\p{N}\p{M}\u00ad\u200d])*)*|\p{Extended_Pictographic}(?:\p{M}|\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic}\ufe0f?)*|\p{Regional_Indicator}{2}|\p{Sc}/uy;
const unspacedRuns =
  /(?:(?!\p{Nd})[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々\uff70\p{M}\uff9e\uff9f])+|(?:\p{Nd}|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々\uff70])+/gu;
/** A character with its marks. Unicode counts the halfwidth voicing marks of Japanese as letters. */
const cluster = /[^\p{M}\uff9e\uff9f][\p{M}\uff9e\uff9f]*/gu;

/** A lookup table for most alphabets, which is faster than a regular expression. `unknown` can be anything, such as a mark. */
const other = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const apostrophe = 4;
const unknown = 5;
const knownUnits = 0x2070;
const kinds = new Uint8Array(knownUnits).fill(unknown);
kinds.fill(other, 0, 128).fill(lower, 97, 123).fill(upper, 65, 91).fill(digit, 48, 58);
// Punctuation. Hebrew is left out because its abbreviations contain quotes.
kinds.fill(other, 0x2010, 0x2060);
for (const sign of "'’‘") kinds[sign.charCodeAt(0)] = apostrophe;
// Arabic letters except tatweel, which only stretches words.
kinds.fill(lower, 0x620, 0x64b)[0x640] = unknown;
// Latin, Greek and Cyrillic letters by case. A regular expression would dominate the load time of this file.
for (let code = 0xc0; code < 0x530; code += 1) {
  if (code === 0x2b0) code = 0x370;
  const character = String.fromCharCode(code);
  const [hasLower, hasUpper] = [character.toLowerCase() !== character, character.toUpperCase() !== character];
  if (hasLower !== hasUpper) kinds[code] = hasLower ? upper : lower;
}
const getKind = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < knownUnits ? kinds[code]! : at < text.length ? unknown : other;
};
const isWordKind = (kind: number): boolean => kind === lower || kind === upper || kind === digit;
const dollar = 36;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

export function forEachWord(text: string, visit: VisitWord): void {
  let position = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const kind = code < knownUnits ? kinds[code]! : unknown;
    if (kind === other || kind === apostrophe) {
      if (code === dollar) visit("$", at, at + 1, position++);
      at += 1;
      continue;
    }
    if (kind === digit) {
      const ends = findDigitGroups(text, at);
      if (ends !== null) {
        position = visitGroups(text, at, ends, position, visit);
        at = ends.at(-1)!;
        continue;
      }
    }
    const end = kind === unknown ? 0 : findRunEnd(text, at, kind);
    if (end > 0) {
      const word = text.slice(at, end);
      visit(isAscii ? lowerCaseForm(word) : fold(word), at, end, position);
      position += 1;
      at = end;
    } else if (end < 0) {
      position = visitKnown(text, at, -end, position, visit);
      at = -end;
    } else {
      pieces.lastIndex = at;
      const piece = pieces.exec(text)?.[0];
      if (piece !== undefined) position = visitPiece(piece, at, position, visit);
      at += piece?.length ?? (text.codePointAt(at)! > 0xffff ? 2 : 1);
    }
  }
}

/** The end of a run of known letters and digits, negated if the run has parts; 0 if it may continue with unknown characters. */
function findRunEnd(text: string, start: number, first: number): number {
  let before = first;
  let sign = 1;
  let end = start + 1;
  let codes = text.charCodeAt(start);
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    const kind = code < knownUnits ? kinds[code]! : unknown;
    if (kind === other) break;
    codes |= code;
    if (kind === before) continue;
    if (kind === unknown) return 0;
    if (kind === apostrophe) {
      const behind = getKind(text, end + 1);
      if (behind === unknown) return 0;
      if (!isWordKind(behind)) break;
      sign = -1;
    } else if (before !== upper || kind !== lower || end > start + 1) sign = -1;
    before = kind;
  }
  isAscii = codes < 128;
  return sign * end;
}

/** Whether the run found last is ASCII. */
let isAscii = true;

const lowerCaseForm = (word: string): string =>
  word.length > maxFormLength ? word.slice(0, maxFormLength).toLowerCase() : word.toLowerCase();

/** Visits the parts of a run of known letters, and the whole. Must agree with `splitWord`, which handles all characters. */
function visitKnown(text: string, start: number, end: number, position: number, visit: VisitWord): number {
  const starts = [start];
  const ends: number[] = [];
  let from = start;
  const cut = (partEnd: number, next: number) => {
    ends.push(partEnd);
    starts.push(next);
    from = next;
  };
  let before = getKind(text, start);
  for (let at = start + 1; at < end; at += 1) {
    const kind = getKind(text, at);
    if (kind === before) continue;
    if (kind === apostrophe) cut(at, at + 1);
    else if (before !== apostrophe) {
      if (kind === digit || before === digit || kind === upper) cut(at, at);
      else if (at - 1 > from && !isPlural(text, at, end)) cut(at - 1, at - 1);
    }
    before = kind;
  }
  ends.push(end);
  if (starts.length > 1) {
    const whole = fold(text.slice(start, end));
    visit(whole, start, end, position);
    if (isMixedIdentifier(starts.length, whole)) return position + 1;
  }
  for (let i = 0; i < starts.length; i += 1) {
    visit(fold(text.slice(starts[i]!, ends[i]!)), starts[i]!, ends[i]!, position + i);
  }
  return position + starts.length;
}

/** The plural s of PDFs. */
const isPlural = (text: string, at: number, end: number): boolean =>
  text.charCodeAt(at) === 115 && (at + 1 === end || !isLetter(getKind(text, at + 1)));
const isLetter = (kind: number): boolean => kind === lower || kind === upper;

export function tokenize(text: string): Word[] {
  const words: Word[] = [];
  forEachWord(text, (form, start, end, position) => words.push({ form, start, end, position }));
  return words;
}

/** Thousands separators of Europe, America and India: 1,234 and 1.234 and 1 234 with a non-breaking space. */
const groupSigns = new Set([".", ",", "\u00a0", "\u202f", "\u2009"].map((sign) => sign.charCodeAt(0)));

/** The end of each digit group; null if the number has no thousands separators. */
function findDigitGroups(text: string, start: number): number[] | null {
  let end = start + 1;
  while (end < start + 4 && isDigit(text.charCodeAt(end))) end += 1;
  const sign = text.charCodeAt(end);
  if (!groupSigns.has(sign) || !isDigit(text.charCodeAt(end + 1)) || end > start + 3) return null;
  if (text.charAt(start) === "0" || (isDigit(text.charCodeAt(start - 2)) && groupSigns.has(text.charCodeAt(start - 1))))
    return null;
  const ends = [end];
  while (text.charCodeAt(end) === sign && isDigit(text.charCodeAt(end + 1))) {
    const from = end + 1;
    end = from;
    while (end <= from + 3 && isDigit(text.charCodeAt(end))) end += 1;
    if (end - from !== 3 && !(end - from === 2 && sign === 44)) return null;
    ends.push(end);
    if (ends.length > 8) return null;
  }
  return end - ends.at(-2)! === 4 ? ends : null;
}

/** Visits the groups and the whole number. */
function visitGroups(text: string, start: number, ends: readonly number[], position: number, visit: VisitWord): number {
  let joined = "";
  for (const [i, end] of ends.entries()) joined += text.slice(i === 0 ? start : ends[i - 1]! + 1, end);
  visit(joined, start, ends.at(-1)!, position);
  for (const [i, end] of ends.entries()) {
    const from = i === 0 ? start : ends[i - 1]! + 1;
    visit(text.slice(from, end), from, end, position + i);
  }
  return position + ends.length;
}

/** The words of a piece by itself, and how many positions they take. */
interface KnownPiece {
  readonly words: readonly Word[];
  readonly places: number;
}

/** Texts repeat the same words, and splitting one is the slowest step. */
const knownPieces = new Map<string, KnownPiece>();
const maxKnownPieces = 4000;
/** A longer slice would keep the whole text in memory. */
const maxKnownLength = 12;

function visitPiece(piece: string, offset: number, position: number, visit: VisitWord): number {
  if (piece.length > maxKnownLength) return visitNewPiece(piece, offset, position, visit);
  let known = knownPieces.get(piece);
  if (known === undefined) {
    const words: Word[] = [];
    const places = visitNewPiece(piece, 0, 0, (form, start, end, at) => words.push({ form, start, end, position: at }));
    known = { words, places };
    if (knownPieces.size >= maxKnownPieces) knownPieces.clear();
    knownPieces.set(piece, known);
  }
  for (const { form, start, end, position: at } of known.words)
    visit(form, offset + start, offset + end, position + at);
  return position + known.places;
}

function visitNewPiece(piece: string, offset: number, position: number, visit: VisitWord): number {
  if (!isUnspaced(piece)) return visitRun(piece, offset, position, visit);
  let next = position;
  for (const { 0: run, index } of piece.matchAll(unspacedRuns)) {
    if (isUnspaced(run)) next = visitPairs(run, offset + index, next, visit);
    else next = visitRun(run, offset + index, next, visit);
  }
  return next;
}

function visitRun(run: string, offset: number, position: number, visit: VisitWord): number {
  const parts = splitWord(run);
  if (parts.length > 1) {
    const whole = parts.some(({ isShared: shared }) => shared) ? "" : fold(run);
    if (whole !== "") visit(whole, offset, offset + run.length, position);
  }
  let next = position;
  for (const { form, start, end } of parts) {
    visit(form, offset + start, offset + end, next);
    next += 1;
  }
  return next;
}

/** Visits each character with its successor, and the last one alone: a single character is then the prefix of a form. */
function visitPairs(run: string, offset: number, position: number, visit: VisitWord): number {
  const characters = [...run.matchAll(cluster)];
  let next = position;
  for (const [i, { 0: first, index }] of characters.entries()) {
    const pair = first + (characters[i + 1]?.[0] ?? "");
    const form = fold(pair);
    if (form === "") continue;
    visit(form, offset + index, offset + index + pair.length, next);
    next += 1;
  }
  return next;
}

/** Stems English words; anything else is returned unchanged. */
export const stemWord = (form: string): string => (/^[a-z]{3,}$/.test(form) ? stemmer(form) : form);

/** Whether a form of an unspaced script is a single character with its marks rather than a pair. */
export const isSingleCharacter = (form: string): boolean => isUnspaced(form) && form.match(cluster)!.length === 1;

export { fold, isUnspaced, maxFormLength };
