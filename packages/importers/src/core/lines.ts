/** Lines of a text file, with where each begins. A line that never ends is cut, so that it takes bounded memory. */

export interface Line {
  readonly offset: number;
  /** Without its end; a carriage return before it is dropped, too. */
  readonly bytes: Uint8Array;
}

const most = 16 * 1024 * 1024;

export async function* lines(chunks: AsyncIterable<Uint8Array>, start = 0): AsyncGenerator<Line> {
  let held: Uint8Array = new Uint8Array(0);
  let offset = start;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, end);
      const whole = held.length === 0 ? part : Buffer.concat([held, part]);
      yield { offset, bytes: withoutReturn(whole) };
      offset += whole.length + 1;
      held = new Uint8Array(0);
      from = end + 1;
    }
    if (from < chunk.length) held = Buffer.concat([held, chunk.subarray(from)]);
    while (held.length > most) {
      yield { offset, bytes: held.subarray(0, most) };
      offset += most;
      held = held.subarray(most);
    }
  }
  if (held.length > 0) yield { offset, bytes: withoutReturn(held) };
}

const withoutReturn = (bytes: Uint8Array): Uint8Array =>
  bytes.length > 0 && bytes[bytes.length - 1] === 13 ? bytes.subarray(0, -1) : bytes;
