import { extractHtmlText } from "@pdpp/evidence/text/html-text";
import { decodeText } from "../../core/text/decode-text.ts";
import { describeError } from "../../core/text/describe-error.ts";
import { createFileText, type FileText, noText } from "../../documents/file-text.ts";

const maxBytes = 32 * 1024 * 1024;

/** Extracts text from text files and HTML pages. */
export async function extractFileText(bytes: Uint8Array, mimeType: string): Promise<FileText> {
  const isPage = mimeType === "text/html";
  if (!isPage && !/^text\/|^application\/(json|xml|x-ndjson)$/.test(mimeType)) return noText;
  if (bytes.length > maxBytes) return { ...noText, note: "too large to extract its text" };
  try {
    const text = decodeText(bytes);
    return isPage ? createFileText(await extractHtmlText(text, false), "html") : createFileText(text, "text");
  } catch (error) {
    return { ...noText, note: `its text could not be extracted: ${describeError(error)}` };
  }
}
