import traditionalCharacters from "opencc-js/dict/TSCharacters";

/**
 * Folds spelling variants together: case, accents and width, katakana and hiragana, traditional and simplified Chinese, Arabic
 * letter variants, digits of any script. Keeps only letters, digits, pictographs and currency signs.
 */

export const maxFormLength = 64;

const plainWord = /^[a-z0-9]+$/;

/** Letters without a canonical decomposition, mapped to what people type without the right keyboard, and letter variants. */
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
  ʼ: "",
  ς: "σ",
  ґ: "г",
  ٱ: "ا",
  ة: "ه",
  ى: "ي",
  ی: "ي",
  ک: "ك",
  ہ: "ه",
  ھ: "ه",
  ـ: "",
};
const special = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");
/**
 * Marks that are dropped: of Latin, Greek and Cyrillic letters, Hebrew points, Arabic vowel signs, pictograph variants. The
 * breve of й stays, because й and и are different letters.
 */
const foldedMarks =
  /[\u0300-\u0305\u0307-\u036f]|(?<!\u0438)\u0306|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u064b-\u065f\u0670]|[\ufe0e\ufe0f]|\p{Emoji_Modifier}/gu;
const nonWordCharacters = /[^\p{L}\p{N}\p{M}\p{Sc}\p{Extended_Pictographic}\p{Regional_Indicator}]/gu;
const katakana = /[\u30a1-\u30f6\u30fd\u30fe]/g;
const katakanaToHiragana = 0x60;
const foreignDigit = /(?![0-9])\p{Nd}/gu;
const han = /\p{sc=Han}/gu;

/** The zero of each script's digits. */
const zeros: readonly number[] = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0,
];

function convertDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  const zero = zeros.find((each) => code >= each && code < each + 10);
  return zero === undefined ? digit : String(code - zero);
}

let simplified: ReadonlyMap<string, string> | undefined;

/** Built on first use: it takes a millisecond, and most processes see no Chinese. */
function simplifyCharacter(character: string): string {
  simplified ??= new Map(traditionalCharacters.split("|").map((pair) => pair.split(" ") as [string, string]));
  return simplified.get(character) ?? character;
}

function foldWhole(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(foldedMarks, "")
    .replace(special, (letter) => plainLetters[letter]!)
    .normalize("NFC")
    .toLowerCase()
    .replace(nonWordCharacters, "")
    .replace(katakana, (kana) => String.fromCharCode(kana.charCodeAt(0) - katakanaToHiragana))
    .replace(foreignDigit, convertDigit)
    .replace(han, simplifyCharacter);
}

/** Characters whose folding depends on their neighbours: marks, surrogates, Korean jamo, halfwidth kana. */
const needsNeighbours = /[\p{M}\ud800-\udfff\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\ud7b0-\ud7ff\uff65-\uffdc]/u;
/** The folding of each UTF-16 unit; null if that depends on its neighbours. */
const foldedUnits: (string | null | undefined)[] = [];

function foldUnit(code: number): string | null {
  const held = foldedUnits[code];
  if (held !== undefined) return held;
  const character = String.fromCharCode(code);
  const folded = needsNeighbours.test(character) ? null : foldWhole(character);
  foldedUnits[code] = folded;
  return folded;
}

/** Caches short words only: a slice of a text keeps the whole text in memory. */
const knownForms = new Map<string, string>();
const maxKnownForms = 4000;
const maxKnownLength = 12;

export function fold(text: string): string {
  if (text.length > maxKnownLength) return foldUncached(text);
  const known = knownForms.get(text);
  if (known !== undefined) return known;
  const form = foldUncached(text);
  if (knownForms.size >= maxKnownForms) knownForms.clear();
  knownForms.set(text, form);
  return form;
}

function foldUncached(text: string): string {
  const lower = text.toLowerCase();
  if (plainWord.test(lower)) return lower.length > maxFormLength ? lower.slice(0, maxFormLength) : lower;
  let form = "";
  for (let i = 0; i < text.length; i += 1) {
    const folded = foldUnit(text.charCodeAt(i));
    if (folded === null) return limitForm(foldWhole(text));
    form += folded;
  }
  return limitForm(form);
}

const limitForm = (form: string): string =>
  form.length > maxFormLength ? Array.from(form).slice(0, maxFormLength).join("") : form;
