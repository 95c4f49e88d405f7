import { PdppError } from "@pdpp/contract/errors";
import { parseInstant } from "@pdpp/contract/instant";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import type { Context } from "hono";
import { readHandle, readText } from "../../explore/request.ts";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { getRecordUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { listAttachedFiles } from "../attached-files.ts";
import { isOneOf, readString, readTexts } from "../field-values.ts";
import { findMatchedWords } from "../matched-words.ts";
import { mailModes } from "./addresses.ts";
import { cleanHtml } from "./clean-html.ts";
import { findCorrespondent } from "./correspondent.ts";
import { type LoadThumbnail, loadInlinePictures } from "./inline-pictures.ts";
import { loadMail, loadMailHtml, loadMailText, loadThread } from "./load-mail.ts";
import { renderMailPage } from "./mail-page.tsx";
import { findMailShape } from "./mail-shape.ts";

/** A mail: its header first, then its text, with the rest of its thread around it. */

export async function respondWithMail(
  c: Context,
  viewpoint: Viewpoint,
  viewer: Viewer,
  now: number,
): Promise<Response> {
  const { reader, names, impersonatedGrant, timeZone } = viewpoint;
  const handle = readHandle(c);
  const id = formatHandle(handle);
  const shape = findMailShape(names, handle.connectionId, handle.stream);
  const record = shape === undefined ? undefined : await loadMail(reader, shape, handle);
  if (shape === undefined || record === undefined) return c.redirect(getRecordUrl(id), 303);
  const { data } = record;
  const q = readText(c, "q");
  const html = await loadMailHtml(reader, shape, record);
  const asked = mailModes.find((mode) => mode === c.req.query("show"));
  // Words can be marked in plain text only.
  const mode = html === undefined ? "plain" : (asked ?? (q === undefined ? "formatted" : "plain"));
  const isOwn = isOneOf(data, shape.own);
  const [sender, address] = [readString(data, shape.sender), readString(data, shape.address)];
  const recipients = readTexts(data, shape.recipients);
  const view = {
    id,
    q,
    mode,
    html,
    subject: readString(data, shape.subject),
    sender,
    address,
    recipients,
    copies: readTexts(data, shape.copies),
    labels: readTexts(data, shape.labels),
    isOwn,
    at: parseInstant(readString(data, shape.time) ?? "") ?? undefined,
    files: listAttachedFiles(record, shape.files, shape.attachments),
    text: await loadMailText(reader, shape, handle),
    words: await findMatchedWords(reader, shape.declaration, handle, q),
    thread: await loadThread(reader, shape, record, id),
    correspondent: await findCorrespondent(reader, isOwn ? recipients.slice(0, 1) : [address, sender]),
    readers: await viewpoint.renderReaders(handle, undefined),
    shape,
    names,
    timeZone,
    impersonatedGrant,
    viewer,
    now,
  };
  return c.html(
    renderMailPage(view),
    200,
    buildPageHeaders(undefined, mode === "formatted" ? "has a frame" : undefined),
  );
}

const frameHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private, no-store",
  // Nothing runs and nothing is loaded, in a frame or in a tab of its own.
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
  "referrer-policy": "no-referrer",
  "x-frame-options": "SAMEORIGIN",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "cross-origin-resource-policy": "same-origin",
};

const frameStyle =
  "html{color-scheme:light;background:#fff;color:#1a2423;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}body{margin:12px}" +
  "img{max-width:100%;height:auto}table{max-width:100%}a{text-decoration:underline}";

/** The HTML of a mail alone, for the frame of its page. */
export async function respondWithMailHtml(
  c: Context,
  { reader, names }: Viewpoint,
  loadThumbnail: LoadThumbnail,
): Promise<Response> {
  const handle = readHandle(c);
  const shape = findMailShape(names, handle.connectionId, handle.stream);
  const record = shape === undefined ? undefined : await loadMail(reader, shape, handle);
  const html = shape === undefined || record === undefined ? undefined : await loadMailHtml(reader, shape, record);
  if (shape === undefined || record === undefined || html === undefined)
    throw new PdppError("not_found", "this mail has no formatted text");
  const files = listAttachedFiles(record, shape.files, shape.attachments);
  const pictures = await loadInlinePictures(reader, loadThumbnail, html.clean.attachedImages, files);
  const clean = pictures.size === 0 ? html.clean : cleanHtml(html.source, pictures);
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mail</title><style>${frameStyle}</style></head><body>${clean.html}</body></html>`;
  return new Response(page, { headers: frameHeaders });
}
