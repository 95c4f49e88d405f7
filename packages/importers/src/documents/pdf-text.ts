import { getDocumentProxy } from "unpdf";
import type { DocumentWords } from "./document-worker.ts";
import { mostChars } from "./file-text.ts";

const mostPages = 2000;

/** The text of a PDF, page by page; of a scan there is none. */
export async function pdfText(bytes: Uint8Array): Promise<DocumentWords> {
  const pdf = await opened(bytes);
  try {
    const pages: string[] = [];
    let length = 0;
    for (let n = 1; n <= Math.min(pdf.numPages, mostPages) && length <= mostChars; n += 1) {
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

/** Nothing in it is run, drawn or fetched. */
async function opened(bytes: Uint8Array): ReturnType<typeof getDocumentProxy> {
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
