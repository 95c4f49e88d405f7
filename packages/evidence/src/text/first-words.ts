import { findEndWithin } from "./cut.ts";

/** The first words of a text, as one line without markup. Undefined if there are none. */
export function takeFirstWords(text: string, maxChars: number): string | undefined {
  const start = text.slice(0, 16 * maxChars);
  const own = start.replace(quotedLines, "");
  const line = cutBetweenWords(removeMarkup((own.trim() === "" ? start : own).toWellFormed()), maxChars).replace(
    /[\s,;:–-]+…$/u,
    "…",
  );
  return line === "" || line === "…" ? undefined : line;
}

/** One line, cut between words. */
export function cutBetweenWords(text: string, maxChars: number): string {
  const line = text
    .slice(0, 8 * maxChars)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  if (line.length <= maxChars) return line;
  return `${line.slice(0, findEndWithin(line, 0, maxChars - 1)).trimEnd()}…`;
}

const quotedLines = /^[ \t]*>.*$/gmu;

/** Markdown, tags of HTML, and characters that change the direction of the text around them. */
function removeMarkup(text: string): string {
  return text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "")
    .replace(/<\/?[a-z][^<>]{0,200}>/giu, " ")
    .replace(/!?\[([^[\]]{0,200})\]\([^()\s]{0,500}\)/gu, "$1")
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|```\w*$|(?:[-*_][ \t]*){3,}$)/gmu, "")
    .replace(/\*\*|__|~~|`+/gu, "")
    .replace(/(^|[\s(])[*_](?=[\p{L}\p{N}])/gu, "$1")
    .replace(/([\p{L}\p{N}.!?])[*_](?=[\s).,;:!?]|$)/gu, "$1");
}
