import type { DocumentKind } from "@pdpp/evidence/fields/media-type";
import { answerTasks } from "../core/workers/answer-tasks.ts";
import type { DocumentText } from "./document-text.ts";

export interface DocumentTask {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

// Parsers are loaded on first use: PDF's alone takes a fifth of a second.
answerTasks(async ({ kind, bytes: received }: DocumentTask): Promise<DocumentText> => {
  // Copied, because the received bytes share a buffer with the message and parsers take over the buffer.
  const bytes = new Uint8Array(received);
  if (kind === "pdf") return (await import("./pdf-text.ts")).extractPdfText(bytes);
  return (await import("./docx-text.ts")).extractDocxText(bytes);
});
