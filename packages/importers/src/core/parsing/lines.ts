/** Lines of a text file, with where each begins. A line that never ends is cut, so that it takes bounded memory. */

export interface Line {
  readonly offset: number;
  /** Without its end; a carriage return before it is dropped, too. */
  readonly bytes: Uint8Array;
}

const most = 16 * 1024 * 1024;

export async function* lines(chunks: AsyncIterable<Uint8Array>, start = 0): AsyncGenerator<Line> {
  // In pieces until it ends: putting a long line together anew with every chunk takes longer the longer it is.
  let held: Uint8Array[] = [];
  let size = 0;
  let offset = start;
  const taken = (): Uint8Array => {
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
      const whole = taken();
      yield { offset, bytes: withoutReturn(whole) };
      offset += whole.length + 1;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    // The memory of a chunk may be another one's by the next.
    held.push(Uint8Array.from(chunk.subarray(from)));
    size += chunk.length - from;
    if (size <= most) continue;
    let rest = taken();
    for (; rest.length > most; rest = rest.subarray(most)) {
      yield { offset, bytes: rest.subarray(0, most) };
      offset += most;
    }
    held = [Uint8Array.from(rest)];
    size = rest.length;
  }
  const last = taken();
  if (last.length > 0) yield { offset, bytes: withoutReturn(last) };
}

const withoutReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.length > 0 && bytes[bytes.length - 1] === 13 ? bytes.subarray(0, -1) : bytes;
