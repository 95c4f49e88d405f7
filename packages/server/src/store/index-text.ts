import { createHash } from "node:crypto";

const wholeBytes = 256;
const prefixChars = 48;

/**
 * The form in which a text stands in an index: itself, or, when longer than an index entry may be, its beginning and the digest
 * of the whole. Equal texts have equal forms and different texts different ones; order is exact up to the kept beginning.
 */
export function indexText(text: string): string {
  if (text.length * 3 <= wholeBytes || Buffer.byteLength(text) <= wholeBytes) return text;
  const prefix = Array.from(text.slice(0, prefixChars * 2))
    .slice(0, prefixChars)
    .join("");
  return `${prefix}\u0001${createHash("sha256").update(text).digest("base64url")}`;
}
