import { htmlText } from "@pdpp/evidence/html-text";
import yauzl from "yauzl";
import { cleanText } from "../../core/clean.ts";
import { decodedText } from "../../core/files.ts";

/** The text of a file that came with a mail, as far as it can be read. */
export interface FileText {
  readonly text: string | null;
  readonly from: string | null;
  readonly isTruncated: boolean;
  readonly note: string | null;
}

const mostChars = 1_000_000;
const mostBytes = 32 * 1024 * 1024;
const none: FileText = { text: null, from: null, isTruncated: false, note: null };

export async function textOfFile(bytes: Buffer, mimeType: string, name: string): Promise<FileText> {
  if (bytes.length > mostBytes) return { ...none, note: "too large for its text to be read" };
  try {
    if (mimeType === "text/html") return told(await htmlText(decodedText(bytes), false), "html");
    if (/^text\/|^application\/(json|xml|x-ndjson)$/.test(mimeType)) return told(decodedText(bytes), "text");
    if (/wordprocessingml\.document$/.test(mimeType) || /\.docx$/i.test(name))
      return told(await docxText(bytes), "docx");
    return none;
  } catch (error) {
    return {
      ...none,
      note: `its text cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`,
    };
  }
}

function told(text: string, from: string): FileText {
  const clean = cleanText(text.replaceAll("\r\n", "\n")).trimEnd();
  return { text: clean.slice(0, mostChars).toWellFormed(), from, isTruncated: clean.length > mostChars, note: null };
}

/** A word processor's document: an archive with one file of text. Nothing in it is allowed to grow beyond measure. */
async function docxText(bytes: Buffer): Promise<string> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== "word/document.xml") continue;
    if (entry.uncompressedSize > mostBytes) throw new Error("the document is too large");
    const parts: Uint8Array[] = [];
    const content: AsyncIterable<Uint8Array> = await zip.openReadStreamPromise(entry);
    for await (const part of content) parts.push(part);
    const xml = Buffer.concat(parts).toString("utf8");
    // Only the text elements speak; paragraphs end lines.
    const marked = xml
      .replace(/<w:tab\b[^>]*\/>/g, "<w:t>\t</w:t>")
      .replace(/<w:br\b[^>]*\/>|<\/w:p>/g, "<w:t>\n</w:t>");
    return [...marked.matchAll(/<w:t(?:\s[^>]*)?>([^<]*)<\/w:t>/g)].map(([, text = ""]) => unescaped(text)).join("");
  }
  throw new Error("there is no document in it");
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g, (all, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    return entities[name] ?? all;
  });
