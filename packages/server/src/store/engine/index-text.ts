import { createHash } from "node:crypto";

const maxWholeBytes = 256;
const prefixChars = 48;
/** Appears only in shortened texts, so that no text can be mistaken for the shortened form of another. */
const digestMarker = "\u0001";

/**
 * A text as stored in an index: the text itself, or, if it is too long for an index entry, a prefix and a digest of the whole.
 * Equal texts stay equal and different texts stay different; the order is exact up to the end of the prefix.
 */
export function toIndexText(text: string): string {
  const short = text.length * 3 <= maxWholeBytes || Buffer.byteLength(text) <= maxWholeBytes;
  if (short && !text.includes(digestMarker) && isStorable(text)) return text;
  const storable = text
    .slice(0, prefixChars * 2)
    .toWellFormed()
    .replaceAll("\0", "");
  const prefix = Array.from(storable).slice(0, prefixChars).join("");
  // UTF-8 would turn a lone surrogate into U+FFFD before it is digested.
  const digest = createHash("sha256")
    .update(text, text.isWellFormed() ? "utf8" : "utf16le")
    .digest("base64url");
  return `${prefix}${digestMarker}${digest}`;
}

/** The databases store neither NUL nor lone surrogates. Records have none, but queries may. */
const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();
