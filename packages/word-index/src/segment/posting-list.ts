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

/** Reads where a term occurs in some of the documents of a list, in order. Skipped documents are not decoded. */
export class PositionReader {
  readonly #bytes: Buffer;
  readonly #frequencies: Uint32Array;
  #posting = 0;
  #at = 0;

  constructor(bytes: Buffer, { frequencies }: Pick<Postings, "frequencies">) {
    this.#bytes = bytes;
    this.#frequencies = frequencies;
  }

  /** The positions in a posting, ascending. Its number must be higher than that of the previous call. */
  read(posting: number): Uint32Array {
    this.#skipTo(posting);
    const bytes = this.#bytes;
    const positions = new Uint32Array(this.#frequencies[posting] ?? 0);
    let at = this.#at;
    let position = 0;
    for (let i = 0; i < positions.length; i += 1) {
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
      positions[i] = position;
    }
    requireLength(bytes, at);
    this.#at = at;
    this.#posting = posting + 1;
    return positions;
  }

  #skipTo(posting: number): void {
    if (posting < this.#posting) throw new RangeError("Positions can only be read forwards.");
    const bytes = this.#bytes;
    const frequencies = this.#frequencies;
    let left = 0;
    for (let n = this.#posting; n < posting; n += 1) left += frequencies[n] ?? 0;
    let at = this.#at;
    const end = bytes.length;
    // The last byte of each number is below 128.
    while (left > 0 && at < end) if ((bytes[at++] ?? 0) < 128) left -= 1;
    requireLength(bytes, at + left);
    this.#at = at;
  }
}

function requireLength(bytes: Buffer, expected: number): void {
  if (bytes.length < expected) throw new RangeError("A posting list of the word index is truncated.");
}
