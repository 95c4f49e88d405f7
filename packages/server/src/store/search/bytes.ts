/** Numbers as bytes: small ones take one, larger ones as many as they need. */

const growth = 2;

/** Bytes that are written one behind the other. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + more, this.#bytes.length * growth));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.number(size);
    this.#reserve(size);
    this.#bytes.write(value, this.#length);
    this.#length += size;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** What was written, to be used before anything else is; the writer begins anew. */
  drain(): Buffer {
    const drained = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return drained;
  }

  /** What was written, to keep. */
  take(): Buffer {
    return Buffer.from(this.drain());
  }
}

/** Bytes that are read one behind the other. */
export class ByteReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) throw new RangeError("the word index ends too early");
    this.at += 1;
    return value;
  }

  number(): number {
    let value = this.byte();
    if (value < 128) return value;
    value -= 128;
    for (let unit = 128; ; unit *= 128) {
      const next = this.byte();
      if (next < 128) return value + next * unit;
      value += (next - 128) * unit;
    }
  }

  text(): string {
    const size = this.number();
    const start = this.at;
    this.at += size;
    return this.#bytes.toString("utf8", start, this.at);
  }
}

const exactLengths = 40;
const stepsPerDoubling = 12;

/** A length in one byte: short ones exactly, longer ones to within a few in a hundred. */
export function lengthCode(length: number): number {
  if (length < exactLengths) return length;
  return Math.min(255, exactLengths + Math.round(Math.log2(length / exactLengths) * stepsPerDoubling));
}

/** The length that each code stands for. */
export const codedLengths: Float64Array = Float64Array.from({ length: 256 }, (_, code) =>
  code < exactLengths ? code : exactLengths * 2 ** ((code - exactLengths) / stepsPerDoubling),
);
