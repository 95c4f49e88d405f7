import { getDocumentProxy } from "unpdf";
import type { DocumentText } from "./document-text.ts";
import { maxChars } from "./file-text.ts";

const maxPages = 2000;

/** Scanned pages have no text. */
export async function extractPdfText(bytes: Uint8Array): Promise<DocumentText> {
  const pdf = await openPdf(bytes);
  try {
    const pages: string[] = [];
    let length = 0;
    for (let n = 1; n <= Math.min(pdf.numPages, maxPages) && length <= maxChars; n += 1) {
      const page = await pdf.getPage(n);
      const { items } = await page.getTextContent();
      const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
      pages.push(text.trimEnd());
      length += text.length;
      page.cleanup();
    }
    return { text: pages.join("\n\n").trim(), isCut: pages.length < pdf.numPages };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

/** Nothing in the file is run, rendered or fetched. */
async function openPdf(bytes: Uint8Array): ReturnType<typeof getDocumentProxy> {
  try {
    return await getDocumentProxy(bytes, {
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      isOffscreenCanvasSupported: false,
      enableXfa: false,
      stopAtErrors: false,
    });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") throw new Error("it is encrypted");
    throw error;
  }
}
