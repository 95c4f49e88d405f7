/** Responses that a browser downloads and never renders as a page. */

/** For responses that are not pages: nothing in them runs, and no other site can embed them. */
export const fileHeaders: Readonly<Record<string, string>> = {
  "cache-control": "private, no-store",
  "content-security-policy": "default-src 'none'; sandbox",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
};

export const createDownload = (bytes: ReadableStream<Uint8Array>, name: string, type: string): Response =>
  new Response(bytes, {
    headers: { ...fileHeaders, "content-type": type, "content-disposition": `attachment; filename="${name}"` },
  });
