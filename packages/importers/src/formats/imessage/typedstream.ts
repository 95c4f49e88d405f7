/**
 * Extracts the text of an `attributedBody`, which is a typedstream: after the class name `NSString` come a `+`, the length and the bytes.
 * Null if not found.
 */
export function extractStreamText(bytes: Uint8Array): string | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const name = buffer.indexOf("NSString");
  if (name < 0) return null;
  const plus = buffer.indexOf(0x2b, name + 8);
  if (plus < 0 || plus > name + 20) return null;
  const first = buffer[plus + 1];
  if (first === undefined) return null;
  const [start, length] =
    first === 0x81 && plus + 4 <= buffer.length
      ? [plus + 4, buffer.readUInt16LE(plus + 2)]
      : first === 0x82 && plus + 6 <= buffer.length
        ? [plus + 6, buffer.readUInt32LE(plus + 2)]
        : [plus + 2, first];
  return start + length > buffer.length ? null : buffer.toString("utf8", start, start + length);
}
