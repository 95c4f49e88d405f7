import { Parser } from "htmlparser2";
import yauzl from "yauzl";
import type { DocumentWords } from "./document-worker.ts";
import { mostChars } from "./file-text.ts";

/** What people read of a word processor's document, in this order. Headers and footers say the same on each page. */
const parts = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];
/** Of one part, unpacked. */
const mostBytes = 64 * 1024 * 1024;

/** The text of a DOCX. It is unpacked as it is read, and no further than needed. */
export async function docxText(bytes: Uint8Array): Promise<DocumentWords> {
  const zip = await yauzl.fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    lazyEntries: true,
  });
  const found = new Map<string, yauzl.Entry>();
  for await (const entry of zip.eachEntry()) if (parts.includes(entry.fileName)) found.set(entry.fileName, entry);
  if (!found.has(parts[0] ?? "")) throw new Error("there is no document in it");
  let text = "";
  for (const name of parts) {
    const entry = found.get(name);
    if (entry === undefined || text.length > mostChars) continue;
    if (entry.uncompressedSize > mostBytes) throw new Error("it unpacks to more than any document");
    if (entry.isEncrypted()) throw new Error("it is encrypted");
    text += await wordsOf(await zip.openReadStreamPromise(entry), mostChars - text.length);
  }
  return { text, isCut: text.length > mostChars };
}

const breaks: Readonly<Record<string, string>> = { "w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-" };

/** Stops when there is more than `most`. */
async function wordsOf(chunks: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const said: string[] = [];
  let length = 0;
  let isText = false;
  // What a newer program would show is there a second time for older ones.
  let olderForms = 0;
  const say = (text: string): void => {
    if (olderForms > 0) return;
    said.push(text);
    length += text.length;
  };
  const parser = new Parser(
    {
      onopentagname(name) {
        if (name === "mc:Fallback") olderForms += 1;
        isText = name === "w:t";
        const sign = breaks[name];
        if (sign !== undefined) say(sign);
      },
      ontext(text) {
        if (isText) say(text);
      },
      onclosetag(name) {
        isText = false;
        if (name === "mc:Fallback") olderForms -= 1;
        if (name === "w:p") say("\n");
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }));
    if (length > most) return said.join("");
  }
  parser.end(decoder.decode());
  return said.join("");
}
