/** What goes to a browser as a file, and never as a page. */

/** For whatever is no page: nothing in it runs, and no other site can have it. */
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
