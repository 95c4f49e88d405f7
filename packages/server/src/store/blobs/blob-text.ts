import { type DocumentKind, isXml, type TextKind } from "@pdpp/evidence/fields/media-type";
import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import { countChars, sliceChars } from "@pdpp/evidence/text/text";
import { waitForLoopTurn } from "../engine/yield-to-event-loop.ts";
import { createHeldText, type TextSource } from "../records/text-source.ts";
import { createStrictDecoder, determineEncoding, sniffedBytes, type TextEncoding } from "./text-encoding.ts";

/** The text of a blob. Short texts and HTML are decoded completely; long texts are read in parts. */

export interface TextBlob {
  readonly id: string;
  readonly sizeBytes: number;
  readonly kind: Exclude<TextKind, DocumentKind>;
  /** The declared media types; the record's own comes first. */
  readonly mediaTypes: readonly string[];
  bytes(first: number, last: number): AsyncIterable<Uint8Array>;
  refuse(why: string): Error;
  /** The error for a text that is too large to read. */
  refuseSize(why: string): Error;
}

const maxHeldBytes = 1024 ** 2;
/** HTML must be read completely to become text. */
const maxHtmlBytes = 16 * 1024 ** 2;

export async function openBlobText(blob: TextBlob): Promise<TextSource> {
  const encoding = await detectEncoding(blob);
  if (blob.kind === "plain" && blob.sizeBytes > maxHeldBytes)
    return createLongText(blob, encoding, await loadIndex(blob, encoding));
  const { text } = await readBeginning(blob, encoding, Number.POSITIVE_INFINITY);
  return createHeldText(text, countChars(text));
}

export async function readTextBeginning(blob: TextBlob, maxChars: number): Promise<{ text: string; isCut: boolean }> {
  return readBeginning(blob, await detectEncoding(blob), maxChars);
}

async function detectEncoding(blob: TextBlob): Promise<TextEncoding> {
  if (blob.kind === "html" && blob.sizeBytes > maxHtmlBytes)
    throw blob.refuseSize(`the HTML has ${blob.sizeBytes} bytes; the limit is ${maxHtmlBytes}`);
  const encoding = determineEncoding(
    await joinChunks(blob.bytes(0, Math.min(sniffedBytes, blob.sizeBytes) - 1)),
    blob.mediaTypes,
  );
  if (encoding === null) throw blob.refuse("its charset is unknown");
  return encoding;
}

async function readBeginning(
  blob: TextBlob,
  encoding: TextEncoding,
  maxChars: number,
): Promise<{ text: string; isCut: boolean }> {
  const isHtml = blob.kind === "html";
  const pieces: string[] = [];
  let units = 0;
  for await (const piece of decodeChunks(blob, encoding, encoding.markBytes)) {
    pieces.push(piece);
    units += piece.length;
    // A character has at most two UTF-16 units.
    if (!isHtml && units > 2 * maxChars) break;
  }
  const read = pieces.join("");
  const whole = isHtml ? await extractHtmlText(read, isXml(blob.mediaTypes[0]!), waitForLoopTurn) : read;
  const text = sliceChars(whole, 0, maxChars);
  return { text, isCut: text.length < whole.length };
}

async function joinChunks(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* decodeChunks(blob: TextBlob, encoding: TextEncoding, from: number): AsyncGenerator<string> {
  const decode = createStrictDecoder(encoding, blob.refuse);
  for await (const chunk of blob.bytes(from, blob.sizeBytes - 1)) yield decode(chunk);
  yield decode();
}

/** Where some of the characters begin, so that a read need not start at the beginning. */
interface TextIndex {
  readonly chars: number;
  readonly marks: readonly { readonly char: number; readonly byte: number }[];
}

const markEvery = 262_144;
const maxHeldIndexes = 64;
/** By digest and encoding: equal digests mean equal bytes, in every vault. */
const indexes = new Map<string, TextIndex>();

async function loadIndex(blob: TextBlob, encoding: TextEncoding): Promise<TextIndex> {
  const key = `${encoding.name} ${encoding.markBytes} ${blob.id}`;
  const index = indexes.get(key) ?? (await buildIndex(blob, encoding));
  // Moves the entry to the end: the map is in order of use.
  indexes.delete(key);
  indexes.set(key, index);
  if (indexes.size > maxHeldIndexes) indexes.delete(indexes.keys().next().value!);
  return index;
}

/** Reads everything once, and so finds out whether all of it is text. */
async function buildIndex(blob: TextBlob, encoding: TextEncoding): Promise<TextIndex> {
  const decode = createStrictDecoder(encoding, blob.refuse);
  // Only UTF-8 shows in every byte whether a character begins there.
  const canMark = encoding.name === "utf-8";
  const marks = [{ char: 0, byte: encoding.markBytes }];
  let [chars, byte] = [0, encoding.markBytes];
  for await (const chunk of blob.bytes(byte, blob.sizeBytes - 1)) {
    const isDue = canMark && byte - marks.at(-1)!.byte >= markEvery;
    const from = isDue ? chunk.findIndex((each) => (each & 0xc0) !== 0x80) : -1;
    if (from >= 0) {
      chars += countChars(decode(chunk.subarray(0, from)));
      marks.push({ char: chars, byte: byte + from });
    }
    chars += countChars(decode(chunk.subarray(Math.max(0, from))));
    byte += chunk.length;
  }
  chars += countChars(decode());
  return { chars, marks };
}

const createLongText = (blob: TextBlob, encoding: TextEncoding, { chars, marks }: TextIndex): TextSource => ({
  chars,
  isLong: true,
  async slice(start, end) {
    const mark = marks.findLast(({ char }) => char <= start)!;
    let at = mark.char;
    let text = "";
    for await (const piece of decodeChunks(blob, encoding, mark.byte)) {
      text += sliceChars(piece, Math.max(0, start - at), Math.max(0, end - at));
      at += countChars(piece);
      if (at >= end) break;
    }
    return text;
  },
  pieces: () => decodeChunks(blob, encoding, encoding.markBytes),
});
