import { parseHandle, type RecordHandle } from "@pdpp/evidence/handles/handle";
import { parseUri } from "@pdpp/evidence/handles/uri";

/** Parses a full record id or a `pdpp://record/` URI. */
export function parseRecordId(text: string): RecordHandle | null {
  const uri = parseUri(text);
  if (uri === null) return parseHandle(text);
  return uri.kind === "record" ? uri.name : null;
}

/** Formats a record id for a command line; ids with control characters become a percent-encoded URI. */
export const formatRecordId = (id: string): string =>
  unprintable.test(id) ? `pdpp://record/${encodeURIComponent(id)}` : id;

/** Line breaks, terminal control characters and bidirectional overrides. */
export const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
