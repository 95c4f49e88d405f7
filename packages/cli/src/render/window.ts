import { createHash } from "node:crypto";
import type { FieldWindow } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { sliceChars } from "@pdpp/evidence/text/text";
import { formatSource } from "./source.ts";
import { formatName } from "./terminal/literal.ts";
import { escapeUnprintable } from "./terminal/style.ts";
import { measureWidth } from "./terminal/width.ts";
import { formatContinuation, toBytesRead, type View, wrapText } from "./view.ts";

export function formatWindow(view: View, window: FieldWindow, nonce: string): string {
  return [
    formatWindowHead(view, window),
    formatOpening(nonce),
    wrapLines(view, formatWindowText(view, window)),
    formatClosing(nonce),
    formatWindowFoot(view, window),
  ].join("\n");
}

/** Depends on the reader's token, so the author of a record cannot forge a boundary. */
export const createNonce = (token: string, place: unknown): string =>
  createHash("sha256")
    .update(`${token}\n${JSON.stringify(place)}`)
    .digest("hex")
    .slice(0, 16);

export const createWindowNonce = (
  token: string,
  { connection_id, stream, record_id, record_version, field, window }: FieldWindow,
): string => createNonce(token, [connection_id, stream, record_id, record_version, field.path, window.start_chars]);

export const formatOpening = (nonce: string): string => `<<TEXT ${nonce}`;
export const formatClosing = (nonce: string): string => `${nonce} TEXT>>`;

export function formatWindowHead(view: View, window: FieldWindow): string {
  const { connection_id: connectionId, stream, record_id: recordId } = window;
  const id = formatHandle({ connectionId, stream, recordId });
  return [view.style.bold(formatName(window.field.path)), ...formatSource(view, { ...window, id })].join("\n");
}

export function formatWindowFoot(
  view: View,
  { window, field, bytes, blobs = [], next, previous }: FieldWindow,
): string {
  const { start_chars: start, end_chars: end, total_chars: total } = window;
  const kind = field.type === "string" ? "" : ` of ${field.type} as JSON`;
  const rest = `, ${start.toLocaleString("en-US")} before, ${(total - end).toLocaleString("en-US")} after`;
  const match =
    window.match_start_chars === null ? "" : `, match at ${window.match_start_chars} to ${window.match_end_chars}`;
  return [
    `characters ${start} to ${end} of ${total}${kind}${window.complete ? ", all of it" : rest}${match}`,
    ...(bytes === undefined
      ? []
      : [...(window.encoded ?? []).map(describeBytes), formatContinuation(view, toBytesRead(bytes))]),
    ...blobs.flatMap(({ mime_type, size_bytes, read, text }) => [
      `file${mime_type === undefined ? "" : ` of ${escapeUnprintable(mime_type)}`}${size_bytes === undefined ? "" : `, ${size_bytes} bytes`}`,
      ...(text === undefined ? [] : [view.style.dim("its text"), formatContinuation(view, text)]),
      formatContinuation(view, toBytesRead(read)),
    ]),
    ...(next === null ? [] : [view.style.dim("next"), formatContinuation(view, next)]),
    ...(previous === null ? [] : [view.style.dim("previous"), formatContinuation(view, previous)]),
  ].join("\n");
}

const describeBytes = ({ start_chars: from, end_chars: to }: { start_chars: number; end_chars: number }): string =>
  `characters ${from} to ${to} are encoded bytes`;

/** Highlights the match and escapes control characters on a terminal. */
export function formatWindowText(view: View, { window }: FieldWindow): string {
  if (!view.terminal) return window.text;
  const { match_start_chars: from, match_end_chars: to, start_chars: start, end_chars: end } = window;
  if (from === null || to === null || from < start || to > end) return escapeControls(window.text);
  const escapePart = (first: number, last: number): string =>
    escapeControls(sliceChars(window.text, first - start, last - start));
  return escapePart(start, from) + view.style.bold(view.style.yellow(escapePart(from, to))) + escapePart(to, end);
}

/** Wraps long lines between words on a terminal, and keeps their indentation. */
export const wrapLines = ({ terminal, width }: View, text: string): string =>
  terminal
    ? text
        .split("\n")
        .map((line) => {
          if (measureWidth(line) <= width) return line;
          const [indent = ""] = /^\s{0,20}/.exec(line) ?? [];
          return wrapText(line.slice(indent.length), width, indent);
        })
        .join("\n")
    : text;

export const escapeForView = (view: View, text: string): string => (view.terminal ? escapeControls(text) : text);

const controlChars =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

const escapeControls = (text: string): string => text.replace(controlChars, escapeUnprintable);
