const growthFactor = 2;

/** Appends numbers (as variable-length integers), text and bytes to a growing buffer. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + more, this.#bytes.length * growthFactor));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  writeByte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  writeNumber(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  writeText(value: string): void {
    const size = Buffer.byteLength(value);
    this.writeNumber(size);
    this.#reserve(size);
    this.#bytes.write(value, this.#length);
    this.#length += size;
  }

  /** Returns the bytes and resets the writer. The next write overwrites them. */
  drain(): Buffer {
    const drained = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return drained;
  }

  /** Returns a copy of the bytes and resets the writer. */
  take(): Buffer {
    return Buffer.from(this.drain());
  }
}

export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  readByte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError("A chunk of the word index is truncated.");
    this.#at += 1;
    return value;
  }

  readNumber(): number {
    let value = this.readByte();
    if (value < 128) return value;
    value -= 128;
    for (let unit = 128; ; unit *= 128) {
      const next = this.readByte();
      if (next < 128) return value + next * unit;
      value += (next - 128) * unit;
    }
  }

  readText(): string {
    const size = this.readNumber();
    const start = this.#at;
    this.#at += size;
    return this.#bytes.toString("utf8", start, this.#at);
  }
}
