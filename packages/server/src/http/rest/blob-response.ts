import type { BlobContent } from "@pdpp/contract/operations";
import { MIMEType } from "whatwg-mimetype";

/** Types without active content, which browsers may display. Everything else is downloaded. */
const inlineTypes: ReadonlySet<string> = new Set([
  "application/pdf",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

export function createBlobResponse(
  blob: BlobContent,
  headers: Record<string, string>,
  bytes: ReadableStream<Uint8Array>,
): Response {
  const { range, sizeBytes, mimeType } = blob;
  const type = MIMEType.parse(mimeType);
  return new Response(bytes, {
    status: blob.status,
    headers: {
      ...headers,
      "content-type": type?.toString() ?? "application/octet-stream",
      "content-length": String(range === undefined ? sizeBytes : range.last - range.first + 1),
      "accept-ranges": "bytes",
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      ...(type !== null && inlineTypes.has(type.essence) ? {} : { "content-disposition": "attachment" }),
      ...(range === undefined ? {} : { "content-range": `bytes ${range.first}-${range.last}/${sizeBytes}` }),
    },
  });
}
