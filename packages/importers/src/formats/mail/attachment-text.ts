import { htmlText } from "@pdpp/evidence/text/html-text";
import { decodedText, wordsOf } from "../../core/files.ts";
import { type FileText, noText, saidBy } from "../../documents/file-text.ts";

const mostBytes = 32 * 1024 * 1024;

/** The text of a file that is one, and of a page. */
export async function textOfFile(bytes: Uint8Array, mimeType: string): Promise<FileText> {
  const isPage = mimeType === "text/html";
  if (!isPage && !/^text\/|^application\/(json|xml|x-ndjson)$/.test(mimeType)) return noText;
  if (bytes.length > mostBytes) return { ...noText, note: "too large for its text to be read" };
  try {
    const text = decodedText(bytes);
    return isPage ? saidBy(await htmlText(text, false), "html") : saidBy(text, "text");
  } catch (error) {
    return { ...noText, note: `its text cannot be read: ${wordsOf(error)}` };
  }
}
