import type { BlobContent } from "@pdpp/contract/operations";
import { fileHeaders } from "../frame/download.ts";
import { textTypes } from "../frame/render/values.tsx";

/** Serves files so that a browser never runs them: to look at if their type has no active content, else as downloads. */

const imageSignatures: readonly { readonly type: string; readonly begins: (bytes: Uint8Array) => boolean }[] = [
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
export const detectImageType = (bytes: Uint8Array): string | undefined =>
  imageSignatures.find(({ begins }) => begins(bytes))?.type;

const pdfMark = [...Buffer.from("%PDF-")];

/** Images and PDFs by their bytes. Texts by their declared type, as plain text whatever they hold, so that markup stays text. */
function detectShownType(head: Uint8Array, mimeType: string): string | undefined {
  const image = detectImageType(head);
  if (image !== undefined) return image;
  if (hasAt(head, 0, pdfMark)) return "application/pdf";
  const [declared = ""] = mimeType.toLowerCase().split(";");
  return textTypes.has(declared.trim()) && !head.includes(0) ? "text/plain; charset=utf-8" : undefined;
}

const maxShownBytes = 32_000_000;
const headBytes = 512;

export async function createFileResponse(blob: BlobContent, isShown: boolean, blobId: string): Promise<Response> {
  const { head, whole } = await readHead(blob.bytes);
  const type = isShown && blob.sizeBytes <= maxShownBytes ? detectShownType(head, blob.mimeType) : undefined;
  const name = blobId.replace(/[^\w-]/g, "").slice(0, 80) || "file";
  return new Response(whole, {
    headers: {
      "content-type": type ?? "application/octet-stream",
      "content-length": String(blob.sizeBytes),
      "content-disposition": `${type === undefined ? "attachment" : "inline"}; filename="${name}${getExtension(blob.mimeType)}"`,
      ...fileHeaders,
    },
  });
}

/** The bytes of a blob never change, so a browser may keep its thumbnail. */
export const createThumbnailResponse = (thumbnail: Uint8Array | undefined): Response =>
  thumbnail === undefined
    ? new Response(null, { status: 404, headers: fileHeaders })
    : new Response(new Uint8Array(thumbnail), {
        headers: { ...fileHeaders, "content-type": "image/jpeg", "cache-control": "private, max-age=3600" },
      });

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
