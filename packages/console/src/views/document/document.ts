import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { Context } from "hono";
import { readHandle, readText } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { getRecordUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { findMatchedWords } from "../matched-words.ts";
import { renderDocumentPage } from "./document-page.tsx";
import { loadDocument } from "./load-document.ts";

/** A file or a note, with its text. */
export async function respondWithDocument(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const { reader, names, impersonatedGrant, timeZone } = viewpoint;
  const handle = readHandle(c);
  const declaration = names.declaration(handle.connectionId, handle.stream);
  const document =
    declaration?.presentation?.kind === "document" ? await loadDocument(viewpoint, declaration, handle) : undefined;
  if (document === undefined) return c.redirect(getRecordUrl(formatHandle(handle)), 303);
  const q = readText(c, "q");
  const words = await findMatchedWords(reader, document.declaration, handle, q);
  const readers = await viewpoint.renderReaders(handle, undefined);
  const view = { document, q, words, readers, names, timeZone, impersonatedGrant, viewer };
  return c.html(renderDocumentPage(view), 200, buildPageHeaders());
}
