/** Streams lines with their offsets. An endless line is cut, so that memory stays bounded. */

export interface Line {
  readonly offset: number;
  /** Without the line ending (LF or CRLF). */
  readonly bytes: Uint8Array;
}

const maxLineBytes = 16 * 1024 * 1024;

export async function* readLines(chunks: AsyncIterable<Uint8Array>, start = 0): AsyncGenerator<Line> {
  // Kept in pieces until the line ends: concatenating with every chunk would be quadratic.
  let held: Uint8Array[] = [];
  let size = 0;
  let offset = start;
  const takeHeld = (): Uint8Array => {
    const whole = held.length === 1 ? held[0] : undefined;
    const bytes = whole ?? Buffer.concat(held);
    held = [];
    size = 0;
    return bytes;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      held.push(chunk.subarray(from, end));
      const whole = takeHeld();
      yield { offset, bytes: stripCarriageReturn(whole) };
      offset += whole.length + 1;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    // The chunk's memory may be reused.
    held.push(Uint8Array.from(chunk.subarray(from)));
    size += chunk.length - from;
    if (size <= maxLineBytes) continue;
    let rest = takeHeld();
    for (; rest.length > maxLineBytes; rest = rest.subarray(maxLineBytes)) {
      yield { offset, bytes: rest.subarray(0, maxLineBytes) };
      offset += maxLineBytes;
    }
    held = [Uint8Array.from(rest)];
    size = rest.length;
  }
  const last = takeHeld();
  if (last.length > 0) yield { offset, bytes: stripCarriageReturn(last) };
}

const stripCarriageReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.length > 0 && bytes[bytes.length - 1] === 13 ? bytes.subarray(0, -1) : bytes;
