import { isUtf8 } from "node:buffer";

/** Splits a byte stream into lines with bounded memory: it holds at most one chunk and one line. */

export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: "invalid_utf8" | "line_too_long" };

const newline = 10;
const maxLineBytes = 64 * 1024 * 1024;

export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number = maxLineBytes,
): AsyncGenerator<Line[]> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let skipping = false;
  let number = 0;
  const take = (part: Uint8Array): Buffer => {
    const whole =
      held.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : Buffer.concat([...held, part]);
    held = [];
    heldBytes = 0;
    return whole;
  };
  for await (const chunk of bytes) {
    let rest = chunk;
    if (skipping) {
      const end = rest.indexOf(newline);
      if (end < 0) continue;
      skipping = false;
      rest = rest.subarray(end + 1);
    }
    const last = rest.lastIndexOf(newline);
    if (last >= 0) {
      const lines = splitLines(take(rest.subarray(0, last)), number, maxBytes);
      number += lines.length;
      yield lines;
    }
    const tail = rest.subarray(last + 1);
    if (tail.byteLength > 0) {
      held.push(tail);
      heldBytes += tail.byteLength;
    }
    if (heldBytes > maxBytes) {
      held = [];
      heldBytes = 0;
      skipping = true;
      number += 1;
      yield [{ number, fault: "line_too_long" }];
    }
  }
  if (heldBytes > 0) yield splitLines(take(new Uint8Array(0)), number, maxBytes);
}

function splitLines(block: Buffer, before: number, maxBytes: number): Line[] {
  if (block.length <= maxBytes && isUtf8(block)) {
    const texts = block.toString("utf8").split("\n");
    return texts.map((text, i) => ({ number: before + i + 1, text: stripByteOrderMark(text, before + i) }));
  }
  const lines: Line[] = [];
  for (let start = 0; start <= block.length; ) {
    const found = block.indexOf(newline, start);
    const end = found < 0 ? block.length : found;
    lines.push(decodeLine(block.subarray(start, end), before + lines.length, maxBytes));
    start = end + 1;
  }
  return lines;
}

function decodeLine(line: Buffer, before: number, maxBytes: number): Line {
  const number = before + 1;
  if (line.length > maxBytes) return { number, fault: "line_too_long" };
  return isUtf8(line)
    ? { number, text: stripByteOrderMark(line.toString("utf8"), before) }
    : { number, fault: "invalid_utf8" };
}

/** Removes the byte order mark of the first line. */
const stripByteOrderMark = (text: string, before: number): string =>
  before === 0 && text.startsWith("\uFEFF") ? text.slice(1) : text;
