import { getCharset, getTextKind, isXml } from "@pdpp/evidence/fields/media-type";

/** The characters that bytes are written in, by the names of the WHATWG Encoding Standard, and how many bytes say so. */
export interface TextEncoding {
  readonly name: string;
  readonly markBytes: number;
}

/** So much of the beginning is looked at, as browsers do. */
export const sniffedBytes = 1024;

const byteOrderMarks: readonly (readonly [name: string, ...bytes: number[]])[] = [
  ["utf-8", 0xef, 0xbb, 0xbf],
  ["utf-16be", 0xfe, 0xff],
  ["utf-16le", 0xff, 0xfe],
];
const declaration = /<(?:\?xml\b[^>]*\bencoding|meta\b[^>]*\bcharset)\s*=\s*["']?\s*([\w.:-]+)/i;

/** A mark at the beginning, else what the media types say, else what the page says itself, else UTF-8. Null: nothing we know. */
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
  // Whoever could read these words as single bytes does not read UTF-16.
  return name?.toLowerCase().startsWith("utf-16") ? "utf-8" : name;
}

/** Decodes part after part; nothing is put in the place of bytes that are none of its characters. */
export function createStrictDecoder({ name }: TextEncoding, refuse: (why: string) => Error) {
  // A mark in the middle is a character: the one at the beginning is not given to the decoder.
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true });
  return (bytes?: Uint8Array): string => {
    let text: string;
    try {
      text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw refuse(`not every byte is ${name}`);
    }
    if (text.includes("\0")) throw refuse("there are zero bytes in it");
    return text;
  };
}
