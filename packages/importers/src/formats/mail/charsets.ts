import { isAscii, isUtf8 } from "node:buffer";

/** Repairs missing or wrong charsets in a copy for reading; the mail's id is still derived from the original bytes. */

/** Longer mails are mostly attachments and not worth a copy. */
const maxBytes = 16 * 1024 * 1024;

/** Scripts often declare ASCII but write UTF-8. */
export function correctDeclaredCharset(raw: Buffer): Buffer {
  if (raw.length > maxBytes || isAscii(raw) || !isUtf8(raw)) return raw;
  const text = raw.toString("latin1");
  const corrected = text.replace(/(\bcharset\s*=\s*"?)(us-ascii|ansi_x3\.4-1968)\b/gi, "$1utf-8");
  return corrected === text ? raw : Buffer.from(corrected, "latin1");
}

/** For mails that lost characters: old programs wrote a local charset, even in headers, without declaring it. */
export function declareGuessedCharset(raw: Buffer): Buffer {
  if (raw.length > maxBytes) return raw;
  const text = raw.toString("latin1");
  const charset = guessCharset(text);
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const head = text.slice(0, end).replace(splitEncodedWord, joinEncodedWords);
  const shown = isUtf8(Buffer.from(head, "latin1"))
    ? head
    : Buffer.from(decodeLatin1(head, charset)).toString("latin1");
  const typed = /^content-type:/im.test(shown) ? shown : `Content-Type: text/plain\n${shown}`;
  const corrected = (typed + text.slice(end)).replace(
    /^(content-type:[ \t]*text\/(?:plain|html)\b)([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/gim,
    (whole, kind: string, rest: string) => (/charset\s*=/i.test(rest) ? whole : `${kind}; charset=${charset}${rest}`),
  );
  return Buffer.from(corrected, "latin1");
}

/** A charset named elsewhere in the mail, or else Windows-1252. */
function guessCharset(text: string): string {
  const named = [...text.matchAll(/\bcharset\s*=\s*["']?([\w.:-]{3,30})/gi)].map(([, name = ""]) => name.toLowerCase());
  return named.find((name) => !/^(utf-?8|us-ascii|ansi_x3)/.test(name) && isKnown(name)) ?? "windows-1252";
}

function isKnown(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== "";
  } catch {
    return false;
  }
}

const decodeLatin1 = (latin1: string, charset: string): string =>
  new TextDecoder(charset).decode(Buffer.from(latin1, "latin1"));

/** Encoded words that split a multi-byte character. */
const splitEncodedWord = /=\?([\w-]+)\?b\?([\w+/]*=*)\?=(?:\s+=\?\1\?b\?[\w+/]*=*\?=)+/gi;

function joinEncodedWords(words: string, charset: string): string {
  const parts = [...words.matchAll(/\?b\?([\w+/]*=*)\?=/gi)].map(([, part = ""]) => Buffer.from(part, "base64"));
  return `=?${charset}?B?${Buffer.concat(parts).toString("base64")}?=`;
}
