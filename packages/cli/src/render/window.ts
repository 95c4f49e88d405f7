import { createHash } from "node:crypto";
import type { FieldWindow } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { sliceChars } from "@pdpp/evidence/text/text";
import { sourceLines } from "./source.ts";
import { named } from "./terminal/literal.ts";
import { harmless } from "./terminal/style.ts";
import { bytesRead, continuation, type View } from "./view.ts";

/** The text verbatim between two boundary lines, its range, and the commands for what is before and after it. */
export function windowText(view: View, window: FieldWindow, nonce: string): string {
  return [headText(view, window), opening(nonce), shownText(view, window), closing(nonce), footText(view, window)].join(
    "\n",
  );
}

/** Nobody who wrote the record can foresee it: it takes the reader's token. */
export const nonceFor = (token: string, place: unknown): string =>
  createHash("sha256")
    .update(`${token}\n${JSON.stringify(place)}`)
    .digest("hex")
    .slice(0, 16);

export const nonceOf = (
  token: string,
  { connection_id, stream, record_id, record_version, field, window }: FieldWindow,
): string => nonceFor(token, [connection_id, stream, record_id, record_version, field.path, window.start_chars]);

export const opening = (nonce: string): string => `<<TEXT ${nonce}`;
export const closing = (nonce: string): string => `${nonce} TEXT>>`;

export function headText(view: View, window: FieldWindow): string {
  const { connection_id: connectionId, stream, record_id: recordId } = window;
  const id = formatHandle({ connectionId, stream, recordId });
  return [view.style.bold(named(window.field.path)), ...sourceLines(view, { ...window, id })].join("\n");
}

export function footText(view: View, { window, field, bytes, blobs = [], next, previous }: FieldWindow): string {
  const { start_chars: start, end_chars: end, total_chars: total } = window;
  const kind = field.type === "string" ? "" : ` of ${field.type} as JSON`;
  const rest = `, ${start.toLocaleString("en-US")} before, ${(total - end).toLocaleString("en-US")} after`;
  const match =
    window.match_start_chars === null ? "" : `, match at ${window.match_start_chars} to ${window.match_end_chars}`;
  return [
    `characters ${start} to ${end} of ${total}${kind}${window.complete ? ", all of it" : rest}${match}`,
    ...(bytes === undefined ? [] : [...(window.encoded ?? []).map(bytesText), continuation(view, bytesRead(bytes))]),
    ...blobs.flatMap(({ mime_type, size_bytes, read, text }) => [
      `file${mime_type === undefined ? "" : ` of ${harmless(mime_type)}`}${size_bytes === undefined ? "" : `, ${size_bytes} bytes`}`,
      ...(text === undefined ? [] : [view.style.dim("its text"), continuation(view, text)]),
      continuation(view, bytesRead(read)),
    ]),
    ...(next === null ? [] : [view.style.dim("next"), continuation(view, next)]),
    ...(previous === null ? [] : [view.style.dim("previous"), continuation(view, previous)]),
  ].join("\n");
}

const bytesText = ({ start_chars: from, end_chars: to }: { start_chars: number; end_chars: number }): string =>
  `characters ${from} to ${to} are bytes as text`;

/** On a terminal with the match highlighted, and with control characters written out, not obeyed. */
export function shownText(view: View, { window }: FieldWindow): string {
  if (!view.terminal) return window.text;
  const { match_start_chars: from, match_end_chars: to, start_chars: start, end_chars: end } = window;
  if (from === null || to === null || from < start || to > end) return visible(window.text);
  const part = (first: number, last: number): string => visible(sliceChars(window.text, first - start, last - start));
  return part(start, from) + view.style.bold(view.style.yellow(part(from, to))) + part(to, end);
}

/** A whole text as the view may show it. */
export const visibleOn = (view: View, text: string): string => (view.terminal ? visible(text) : text);

const visible = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, harmless);
