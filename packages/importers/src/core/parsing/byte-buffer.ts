const minBytes = 256 * 1024;

/** Bytes that come in pieces, as one: added at the end, taken from the beginning, and copied no more often than must be. */
export class ByteBuffer {
  #buffer = Buffer.allocUnsafeSlow(minBytes);
  #start = 0;
  #end = 0;

  /** All that is held. It is there until something is added or dropped. */
  get content(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  add(piece: Uint8Array): void {
    const length = this.#end - this.#start + piece.length;
    if (this.#end + piece.length > this.#buffer.length) {
      // Half of it may stand empty, so that what is held is seldom moved; after something large it becomes small again.
      const fits = length * 2 <= this.#buffer.length && this.#buffer.length <= Math.max(minBytes, length * 8);
      const room = fits ? this.#buffer : Buffer.allocUnsafeSlow(Math.max(minBytes, length * 2));
      this.#buffer.copy(room, 0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
      this.#buffer = room;
    }
    this.#buffer.set(piece, this.#end);
    this.#end += piece.length;
  }

  drop(count: number): void {
    this.#start += count;
  }
}
