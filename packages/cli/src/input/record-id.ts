import { parseHandle, type RecordHandle } from "@pdpp/evidence/handles/handle";
import { parseUri } from "@pdpp/evidence/handles/uri";

/** The record that a self-contained id means, or a `pdpp://record/` URI of it. */
export function parseRecordId(text: string): RecordHandle | null {
  const uri = parseUri(text);
  if (uri === null) return parseHandle(text);
  return uri.kind === "record" ? uri.name : null;
}

/** A self-contained id for a command line. What no line can hold is percent-encoded, in a URI. */
export const formatRecordId = (id: string): string =>
  unprintable.test(id) ? `pdpp://record/${encodeURIComponent(id)}` : id;

/** Line ends, and what steers a terminal or turns the direction of what is read. */
export const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
