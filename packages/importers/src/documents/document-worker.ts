import type { DocumentKind } from "@pdpp/evidence/fields/media-type";
import { answerTasks } from "../core/workers/answer-tasks.ts";

export interface DocumentTask {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

export interface DocumentText {
  readonly text: string;
  /** The text was truncated. */
  readonly isCut: boolean;
}

// Parsers are loaded on first use: PDF's alone takes a fifth of a second.
answerTasks(async ({ kind, bytes }: DocumentTask): Promise<DocumentText> => {
  if (kind === "pdf") return (await import("./pdf-text.ts")).extractPdfText(bytes);
  return (await import("./docx-text.ts")).extractDocxText(bytes);
});
