import type { ByteWriter } from "./bytes.ts";

/**
 * The documents of a term in ascending order. Each posting has the gap to the previous document, the term frequency and the
 * encoded field length. A frequency of 1 is a bit of the gap and takes no byte.
 */
export interface Postings {
  readonly docs: Float64Array;
  readonly frequencies: Uint32Array;
  readonly lengths: Uint8Array;
}

/** The dictionary has the first document of a list, so its gap is 0. */
export function writePosting(to: ByteWriter, gap: number, frequency: number, length: number): void {
  to.writeNumber(gap * 2 + (frequency === 1 ? 1 : 0));
  if (frequency !== 1) to.writeNumber(frequency);
  to.writeByte(length);
}

/** Decodes numbers inline: a list can have millions of postings, and a `ByteReader` call for each is measurably slower. */
export function readPostings(bytes: Buffer, firstDoc: number, count: number): Postings {
  const docs = new Float64Array(count);
  const frequencies = new Uint32Array(count);
  const lengths = new Uint8Array(count);
  let at = 0;
  let doc = firstDoc;
  for (let n = 0; n < count; n += 1) {
    let value = bytes[at++] ?? 0;
    if (value >= 128) {
      value -= 128;
      for (let unit = 128; ; unit *= 128) {
        const next = bytes[at++] ?? 0;
        if (next < 128) {
          value += next * unit;
          break;
        }
        value += (next - 128) * unit;
      }
    }
    const isOnce = value % 2;
    doc += (value - isOnce) / 2;
    let frequency = 1;
    if (isOnce === 0) {
      frequency = bytes[at++] ?? 0;
      if (frequency >= 128) {
        frequency -= 128;
        for (let unit = 128; ; unit *= 128) {
          const next = bytes[at++] ?? 0;
          if (next < 128) {
            frequency += next * unit;
            break;
          }
          frequency += (next - 128) * unit;
        }
      }
    }
    docs[n] = doc;
    frequencies[n] = frequency;
    lengths[n] = bytes[at++] ?? 0;
  }
  requireLength(bytes, at);
  return { docs, frequencies, lengths };
}

/** The positions of a term in each posting that `isWanted`, by the number of the posting. */
export function readPositions(
  bytes: Buffer,
  frequencies: Uint32Array,
  isWanted: (posting: number) => boolean,
): Map<number, number[]> {
  const wanted = new Map<number, number[]>();
  let at = 0;
  for (let n = 0; n < frequencies.length; n += 1) {
    const keep = isWanted(n);
    const positions: number[] = [];
    let position = 0;
    for (let i = frequencies[n] ?? 0; i > 0; i -= 1) {
      let value = bytes[at++] ?? 0;
      if (value >= 128) {
        value -= 128;
        for (let unit = 128; ; unit *= 128) {
          const next = bytes[at++] ?? 0;
          if (next < 128) {
            value += next * unit;
            break;
          }
          value += (next - 128) * unit;
        }
      }
      position += value;
      if (keep) positions.push(position);
    }
    if (keep) wanted.set(n, positions);
  }
  requireLength(bytes, at);
  return wanted;
}

function requireLength(bytes: Buffer, expected: number): void {
  if (bytes.length < expected) throw new RangeError("A posting list of the word index is truncated.");
}
