import type { BlobContent } from "@pdpp/contract/operations";

/** Types a browser may show in place: they cannot run anything. All else is a download. */
const shownInPlace: ReadonlySet<string> = new Set([
  "application/pdf",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);
const typeForm = /^[\w.+-]+\/[\w.+-]+(;\s*[\w-]+=[\w.+-]+)*$/;

export function blobResponse(
  blob: BlobContent,
  headers: Record<string, string>,
  bytes: ReadableStream<Uint8Array>,
): Response {
  const { range, sizeBytes, mimeType } = blob;
  const bare = mimeType.split(";")[0]!.trim().toLowerCase();
  return new Response(bytes, {
    status: blob.status,
    headers: {
      ...headers,
      "content-type": typeForm.test(mimeType) ? mimeType : "application/octet-stream",
      "content-length": String(range === undefined ? sizeBytes : range.last - range.first + 1),
      "accept-ranges": "bytes",
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      ...(shownInPlace.has(bare) ? {} : { "content-disposition": "attachment" }),
      ...(range === undefined ? {} : { "content-range": `bytes ${range.first}-${range.last}/${sizeBytes}` }),
    },
  });
}
