/** A text as UTF-8 in the first `length` bytes, which the next call may overwrite. */
export interface Utf8 {
  readonly bytes: Uint8Array;
  readonly length: number;
}

const encoder = new TextEncoder();
const scratch = new Uint8Array(64 * 1024);

/** Reuses a buffer, because every item of a page is measured. */
export function encodeUtf8(text: string): Utf8 {
  const { read, written } = encoder.encodeInto(text, scratch);
  if (read === text.length) return { bytes: scratch, length: written };
  const bytes = encoder.encode(text);
  return { bytes, length: bytes.length };
}

export const countBytes = (text: string): number => encodeUtf8(text).length;
