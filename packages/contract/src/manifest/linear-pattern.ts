import { RE2JS } from "re2js";

/**
 * Matches manifest patterns in linear time. JavaScript's own regular expressions can backtrack forever: `^(a+)+$`
 * against thirty letters never finishes.
 */

export interface LinearPattern {
  test(text: string): boolean;
}

/** Longer texts never match, so that a match takes milliseconds. */
const maxTextLength = 262_144;

/** `\s` and `.` as in JavaScript; RE2's are ASCII only. */
const spaces = "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const noSpaces =
  "\\x00-\\x08\\x{0e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}" +
  "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const anyOfALine = "[^\\n\\r\\x{2028}\\x{2029}]";

const outside: Readonly<Record<string, string>> = { "\\s": `[${spaces}]`, "\\S": `[${noSpaces}]`, ".": anyOfALine };
const inside: Readonly<Record<string, string>> = { "\\s": spaces, "\\S": noSpaces, "\\b": "\\x08", "[": "\\[" };
/** Escapes that have a meaning in RE2 but are plain letters in JavaScript. */
const letters = Object.fromEntries([..."AzQECaU"].map((letter) => [`\\${letter}`, letter]));
const property = /^\\([pP])\{(?:Script|sc|Script_Extensions|scx|General_Category|gc)=(\w+)\}/;
const looksAround = /^(?:\(\?(?![:<])|\\k)/;

/**
 * Throws if the pattern uses lookaround or backreferences, or is very large: those cannot be matched in linear time.
 */
export function compileLinearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(translatePattern(pattern)));
  return { test: (text) => text.length <= maxTextLength && compiled.test(text) };
}

/** JSON Schema requires the `u` flag; many authors test without it and escape more than `u` allows. */
export const isRegularExpression = (pattern: string): boolean =>
  ["u", ""].some((flags) => isValidWithFlags(pattern, flags));

function isValidWithFlags(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

function translatePattern(pattern: string): string {
  let text = "";
  let isInClass = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + 80);
    if (!isInClass && looksAround.test(rest)) throw new Error("it looks around, or back");
    const named = property.exec(rest);
    const piece = named?.[0] ?? (rest[0] === "\\" ? rest.slice(0, 2) : (rest[0] ?? ""));
    const begins = !isInClass && piece === "[";
    if (piece === "]") isInClass = false;
    text += named ? `\\${named[1]}{${named[2]}}` : ((isInClass ? inside : outside)[piece] ?? letters[piece] ?? piece);
    if (begins) isInClass = true;
    at += piece.length;
  }
  return text;
}
