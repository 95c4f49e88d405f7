import type { DocumentKind } from "@pdpp/evidence/fields/media-type";
import { describeError } from "../core/text/describe-error.ts";
import { createBoundedWorker, type WorkerOptions } from "../core/workers/bounded-worker.ts";
import { type DocumentText, documentTextSchema } from "./document-text.ts";
import type { DocumentTask } from "./document-worker.ts";
import { createFileText, type FileText, noText } from "./file-text.ts";

/** Extracts text in a process that starts with the first document. If it fails, the note says why. */
export interface DocumentReader {
  extractText(kind: DocumentKind, bytes: Uint8Array<ArrayBuffer>): Promise<FileText>;
  close(): Promise<void>;
}

const maxBytes = 20 * 1024 * 1024;

export const defaultDocumentReader: WorkerOptions = {
  module: new URL("./document-worker.ts", import.meta.url),
  bounds: { maxTaskMs: 10_000, maxHeapMb: 256, maxMemoryMb: 384, maxYoungMb: 16 },
};

export function createDocumentReader(options: WorkerOptions): DocumentReader {
  const worker = createBoundedWorker<DocumentTask, DocumentText>(options, documentTextSchema);
  return {
    async extractText(kind, bytes) {
      if (bytes.length > maxBytes) return { ...noText, note: "too large to extract its text" };
      try {
        const { text, isCut } = await worker.run({ kind, bytes });
        if (text.trim() === "") return { ...noText, note: "it contains no text" };
        return createFileText(text, kind, isCut);
      } catch (error) {
        return { ...noText, note: `its text could not be extracted: ${describeError(error)}` };
      }
    },
    close: () => worker.close(),
  };
}
