import { parseHandle, type RecordHandle, spellHandle } from "@pdpp/evidence/handle";

const scheme = "pdpp://record/";

/** The record that a self-contained id means, or a `pdpp://record/` URI of it in either of its two encodings. */
export function parseRecordId(text: string): RecordHandle | null {
  if (!text.startsWith(scheme)) return parseHandle(text);
  const rest = text.slice(scheme.length);
  return fromPercent(rest) ?? fromJson(rest);
}

/** A self-contained id for a command line. What no line can hold is percent-encoded, in a URI. */
export function spellRecordId(handle: RecordHandle): string {
  const text = spellHandle(handle);
  return unprintable.test(text) ? `${scheme}${encodeURIComponent(text)}` : text;
}

/** Line ends, and what steers a terminal or turns the direction of what is read. */
export const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

function fromPercent(text: string): RecordHandle | null {
  try {
    return parseHandle(decodeURIComponent(text));
  } catch {
    return null;
  }
}

function fromJson(text: string): RecordHandle | null {
  try {
    const { connection_id, stream, record_id } = JSON.parse(Buffer.from(text, "base64url").toString()) as {
      [name: string]: unknown;
    };
    if (typeof connection_id !== "string" || typeof stream !== "string" || typeof record_id !== "string") return null;
    return { connectionId: connection_id, stream, recordId: record_id };
  } catch {
    return null;
  }
}
