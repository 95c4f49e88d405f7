import { Parser } from "htmlparser2";
import yauzl from "yauzl";
import type { DocumentText } from "./document-text.ts";
import { maxChars } from "./file-text.ts";

/** Headers and footers are left out: they repeat on each page. */
const parts = ["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"];
/** Unpacked size of one part. */
const maxBytes = 64 * 1024 * 1024;

/** Unpacks only as much as needed. */
export async function extractDocxText(bytes: Uint8Array): Promise<DocumentText> {
  const zip = await yauzl.fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    lazyEntries: true,
  });
  const found = new Map<string, yauzl.Entry>();
  for await (const entry of zip.eachEntry()) if (parts.includes(entry.fileName)) found.set(entry.fileName, entry);
  if (!found.has(parts[0] ?? "")) throw new Error("it contains no document");
  let text = "";
  for (const name of parts) {
    const entry = found.get(name);
    if (entry === undefined || text.length > maxChars) continue;
    if (entry.uncompressedSize > maxBytes) throw new Error("it unpacks to more than a real document");
    if (entry.isEncrypted()) throw new Error("it is encrypted");
    text += await collectText(await zip.openReadStreamPromise(entry), maxChars - text.length);
  }
  return { text, isCut: text.length > maxChars };
}

const breaks: Readonly<Record<string, string>> = { "w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-" };

/** Stops after `most` characters. */
async function collectText(chunks: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const said: string[] = [];
  let length = 0;
  let isText = false;
  // Fallback content repeats what newer programs show.
  let fallbackDepth = 0;
  const appendText = (text: string): void => {
    if (fallbackDepth > 0) return;
    said.push(text);
    length += text.length;
  };
  const parser = new Parser(
    {
      onopentagname(name) {
        if (name === "mc:Fallback") fallbackDepth += 1;
        isText = name === "w:t";
        const sign = breaks[name];
        if (sign !== undefined) appendText(sign);
      },
      ontext(text) {
        if (isText) appendText(text);
      },
      onclosetag(name) {
        isText = false;
        if (name === "mc:Fallback") fallbackDepth -= 1;
        if (name === "w:p") appendText("\n");
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
