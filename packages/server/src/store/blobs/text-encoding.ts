import { getCharset, getTextKind, isXml } from "@pdpp/evidence/fields/media-type";

/** A character encoding, named as in the WHATWG Encoding Standard, and the length of the byte order mark. */
export interface TextEncoding {
  readonly name: string;
  readonly markBytes: number;
}

/** As many bytes as browsers sniff. */
export const sniffedBytes = 1024;

const byteOrderMarks: readonly (readonly [name: string, ...bytes: number[]])[] = [
  ["utf-8", 0xef, 0xbb, 0xbf],
  ["utf-16be", 0xfe, 0xff],
  ["utf-16le", 0xff, 0xfe],
];
const declaration = /<(?:\?xml\b[^>]*\bencoding|meta\b[^>]*\bcharset)\s*=\s*["']?\s*([\w.:-]+)/i;

/** In this order: byte order mark, media types, the document's own declaration, UTF-8. Null if the encoding is unknown. */
export function determineEncoding(beginning: Uint8Array, mediaTypes: readonly string[]): TextEncoding | null {
  for (const [name, ...mark] of byteOrderMarks)
    if (mark.every((byte, i) => beginning[i] === byte)) return { name, markBytes: mark.length };
  const [declared] = mediaTypes.flatMap((type) => getCharset(type) ?? []);
  const name = declared ?? findDeclaredCharset(beginning, mediaTypes) ?? "utf-8";
  try {
    return { name: new TextDecoder(name).encoding, markBytes: 0 };
  } catch {
    return null;
  }
}

function findDeclaredCharset(beginning: Uint8Array, mediaTypes: readonly string[]): string | undefined {
  if (!mediaTypes.some((type) => getTextKind(type) === "html" || isXml(type))) return undefined;
  const name = declaration.exec(Buffer.from(beginning).toString("latin1"))?.[1];
  // The declaration was readable as single bytes, so it cannot be UTF-16.
  return name?.toLowerCase().startsWith("utf-16") ? "utf-8" : name;
}

/** Decodes chunk by chunk, and rejects invalid bytes instead of replacing them. */
export function createStrictDecoder({ name }: TextEncoding, refuse: (why: string) => Error) {
  // The byte order mark at the beginning is not passed to the decoder; elsewhere it is a character.
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  return (bytes?: Uint8Array): string => {
    let text: string;
    try {
      text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw refuse(`it is not valid ${name}`);
    }
    if (text.includes("\0")) throw refuse("it contains zero bytes");
    return text;
  };
}
