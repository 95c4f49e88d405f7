import type { DocumentKind } from "@pdpp/evidence/fields/media-type";
import { wordsOf } from "../core/files.ts";
import { boundedWorker, type WorkerOptions } from "../core/workers/bounded-worker.ts";
import type { DocumentTask, DocumentWords } from "./document-worker.ts";
import { type FileText, noText, saidBy } from "./file-text.ts";

/** Reads documents in a thread that is started with the first of them. What cannot be read has a note that says why. */
export interface DocumentReader {
  text(kind: DocumentKind, bytes: Uint8Array<ArrayBuffer>): Promise<FileText>;
  close(): Promise<void>;
}

const mostBytes = 20 * 1024 * 1024;

export const usualDocumentReader: WorkerOptions = {
  module: new URL("./document-worker.ts", import.meta.url),
  bounds: { taskMs: 10_000, heapMb: 256, bytesMb: 256, youngMb: 16 },
};

export function documentReader(options: WorkerOptions): DocumentReader {
  const worker = boundedWorker<DocumentTask, DocumentWords>(options);
  return {
    async text(kind, bytes) {
      if (bytes.length > mostBytes) return { ...noText, note: "too large for its text to be read" };
      try {
        const { text, isCut } = await worker.run({ kind, bytes });
        if (text.trim() === "") return { ...noText, note: "there is no text in it" };
        return saidBy(text, kind, isCut);
      } catch (error) {
        return { ...noText, note: `its text cannot be read: ${wordsOf(error)}` };
      }
    },
    close: () => worker.close(),
  };
}
