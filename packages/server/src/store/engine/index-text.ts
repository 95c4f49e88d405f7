import { createHash } from "node:crypto";

const maxWholeBytes = 256;
const prefixChars = 48;
/** Stands only in forms that are not the text itself, so that no text can be taken for the form of another. */
const digestMarker = "\u0001";

/**
 * The form in which a text stands in an index: itself, or, when longer than an index entry may be, its beginning and the digest
 * of the whole. Equal texts have equal forms and different texts different ones; order is exact up to the kept beginning.
 */
export function toIndexText(text: string): string {
  const short = text.length * 3 <= maxWholeBytes || Buffer.byteLength(text) <= maxWholeBytes;
  if (short && !text.includes(digestMarker) && isStorable(text)) return text;
  const storable = text
    .slice(0, prefixChars * 2)
    .toWellFormed()
    .replaceAll("\0", "");
  const prefix = Array.from(storable).slice(0, prefixChars).join("");
  // As UTF-8, half a character would be digested as U+FFFD.
  const digest = createHash("sha256")
    .update(text, text.isWellFormed() ? "utf8" : "utf16le")
    .digest("base64url");
  return `${prefix}${digestMarker}${digest}`;
}

/** A database text has no NUL and no half characters. Records have none either, but what is asked for may. */
const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();
