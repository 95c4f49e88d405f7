import { setImmediate as nextTurn } from "node:timers/promises";
import { PdppError } from "@pdpp/contract/errors";
import { htmlText } from "@pdpp/evidence/html-text";
import { isXml, type TextKind } from "@pdpp/evidence/media-type";
import { charLength, sliceChars } from "@pdpp/evidence/text";
import { encodingBytes, encodingOf, strictDecoder, type TextEncoding } from "./text-encoding.ts";
import { heldText, type TextSource } from "./text-source.ts";

/** The text of stored bytes. What is short, or HTML, is decoded whole; longer texts are read where they are, part by part. */

export interface TextBlob {
  readonly id: string;
  readonly sizeBytes: number;
  readonly kind: TextKind;
  /** What is said of the bytes, first by the record. */
  readonly mediaTypes: readonly string[];
  /** From one byte to another, both inclusive. */
  bytes(first: number, last: number): AsyncIterable<Uint8Array>;
  /** The error for bytes that are not text. */
  refuse(why: string): PdppError;
}

const heldBytes = 1024 ** 2;
/** HTML is text only when all of it has been read. */
const mostHtmlBytes = 16 * 1024 ** 2;

export async function textOfBlob(blob: TextBlob): Promise<TextSource> {
  const isHtml = blob.kind === "html";
  if (isHtml && blob.sizeBytes > mostHtmlBytes) {
    throw new PdppError(
      "resource_limit",
      `HTML is shown as text up to ${mostHtmlBytes} bytes, and this has ${blob.sizeBytes}; get the bytes with readBlob`,
      { param: "field" },
    );
  }
  const encoding = encodingOf(
    await joined(blob.bytes(0, Math.min(encodingBytes, blob.sizeBytes) - 1)),
    blob.mediaTypes,
  );
  if (encoding === null) throw blob.refuse("its charset is unknown");
  if (!isHtml && blob.sizeBytes > heldBytes) return longText(blob, encoding, await indexOf(blob, encoding));
  const whole: string[] = [];
  for await (const piece of decoded(blob, encoding, encoding.markBytes)) whole.push(piece);
  const text = isHtml ? await htmlText(whole.join(""), isXml(blob.mediaTypes[0]!), () => nextTurn()) : whole.join("");
  return heldText(text, charLength(text));
}

async function joined(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* decoded(blob: TextBlob, encoding: TextEncoding, from: number): AsyncGenerator<string> {
  const decode = strictDecoder(encoding, blob.refuse);
  for await (const chunk of blob.bytes(from, blob.sizeBytes - 1)) yield decode(chunk);
  yield decode();
}

/** Where some of the characters of a text begin, so that it need not be read from its beginning. */
interface TextIndex {
  readonly chars: number;
  readonly marks: readonly { readonly char: number; readonly byte: number }[];
}

const markEvery = 262_144;
const heldIndexes = 64;
/** By digest and encoding: bytes that have the same digest are the same, in every vault and for ever. */
const indexes = new Map<string, TextIndex>();

async function indexOf(blob: TextBlob, encoding: TextEncoding): Promise<TextIndex> {
  const key = `${encoding.name} ${encoding.markBytes} ${blob.id}`;
  const index = indexes.get(key) ?? (await indexed(blob, encoding));
  // The one used last stands last.
  indexes.delete(key);
  indexes.set(key, index);
  if (indexes.size > heldIndexes) indexes.delete(indexes.keys().next().value!);
  return index;
}

/** Reads all of it once, and so finds out whether all of it is text. */
async function indexed(blob: TextBlob, encoding: TextEncoding): Promise<TextIndex> {
  const decode = strictDecoder(encoding, blob.refuse);
  // Only in UTF-8 does every byte show whether a character begins with it.
  const canMark = encoding.name === "utf-8";
  const marks = [{ char: 0, byte: encoding.markBytes }];
  let [chars, byte] = [0, encoding.markBytes];
  for await (const chunk of blob.bytes(byte, blob.sizeBytes - 1)) {
    const isDue = canMark && byte - marks.at(-1)!.byte >= markEvery;
    const from = isDue ? chunk.findIndex((each) => (each & 0xc0) !== 0x80) : -1;
    if (from >= 0) {
      chars += charLength(decode(chunk.subarray(0, from)));
      marks.push({ char: chars, byte: byte + from });
    }
    chars += charLength(decode(chunk.subarray(Math.max(0, from))));
    byte += chunk.length;
  }
  chars += charLength(decode());
  return { chars, marks };
}

const longText = (blob: TextBlob, encoding: TextEncoding, { chars, marks }: TextIndex): TextSource => ({
  chars,
  isLong: true,
  async slice(start, end) {
    const mark = marks.findLast(({ char }) => char <= start)!;
    let at = mark.char;
    let text = "";
    for await (const piece of decoded(blob, encoding, mark.byte)) {
      text += sliceChars(piece, Math.max(0, start - at), Math.max(0, end - at));
      at += charLength(piece);
      if (at >= end) break;
    }
    return text;
  },
  pieces: () => decoded(blob, encoding, encoding.markBytes),
});
