import { cleanText } from "../core/text/clean.ts";

/** The text extracted from an attachment. */
export interface FileText {
  readonly text: string | null;
  /** Where the text came from: text, html, pdf, docx, mail. */
  readonly from: string | null;
  readonly isTruncated: boolean;
  /** Why there is no text. */
  readonly note: string | null;
}

export const noText: FileText = { text: null, from: null, isTruncated: false, note: null };

/** Per file, in UTF-16 code units. */
export const maxChars = 1_000_000;

export function createFileText(text: string, from: string, isCut = false): FileText {
  const clean = cleanText(text.replaceAll("\r\n", "\n")).trimEnd();
  const isTruncated = isCut || clean.length > maxChars;
  return { text: clean.slice(0, maxChars).toWellFormed(), from, isTruncated, note: null };
}
