import type { BlobContent } from "@pdpp/contract/operations";
import { fileHeaders } from "../frame/download.ts";

/** Serves files so that a browser never runs them: as verified images, or as downloads. */

const signatures: readonly { readonly type: string; readonly begins: (bytes: Uint8Array) => boolean }[] = [
  { type: "image/png", begins: (bytes) => hasAt(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { type: "image/jpeg", begins: (bytes) => hasAt(bytes, 0, [0xff, 0xd8, 0xff]) },
  { type: "image/gif", begins: (bytes) => hasAt(bytes, 0, [0x47, 0x49, 0x46, 0x38]) },
  {
    type: "image/webp",
    begins: (bytes) => hasAt(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && hasAt(bytes, 8, [0x57, 0x45, 0x42, 0x50]),
  },
];

const hasAt = (bytes: Uint8Array, at: number, wanted: readonly number[]): boolean =>
  wanted.every((byte, i) => bytes[at + i] === byte);

/** Detects an image by its first bytes, regardless of its name. */
const detectImageType = (bytes: Uint8Array): string | undefined => signatures.find(({ begins }) => begins(bytes))?.type;

const maxImageBytes = 32_000_000;
const headBytes = 16;

export async function createFileResponse(blob: BlobContent, isShown: boolean, blobId: string): Promise<Response> {
  const { head, whole } = await readHead(blob.bytes);
  const type = isShown && blob.sizeBytes <= maxImageBytes ? detectImageType(head) : undefined;
  const name = blobId.replace(/[^\w-]/g, "").slice(0, 80) || "file";
  return new Response(whole, {
    headers: {
      "content-type": type ?? "application/octet-stream",
      "content-length": String(blob.sizeBytes),
      ...(type === undefined
        ? { "content-disposition": `attachment; filename="${name}${getExtension(blob.mimeType)}"` }
        : {}),
      ...fileHeaders,
    },
  });
}

const extensions: Readonly<Record<string, string>> = {
  "application/pdf": ".pdf",
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "text/plain": ".txt",
  "text/csv": ".csv",
  "audio/mpeg": ".mp3",
  "video/mp4": ".mp4",
};

/** Only types that are safe to open get an extension. */
const getExtension = (mimeType: string): string => extensions[mimeType] ?? "";

/** Peeks at the first bytes without consuming the stream. */
async function readHead(bytes: ReadableStream<Uint8Array>) {
  const reader = bytes.getReader();
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < headBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = taken.shift();
      if (first !== undefined) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  const head = new Uint8Array(Buffer.concat(taken).subarray(0, headBytes));
  return { head, whole };
}
