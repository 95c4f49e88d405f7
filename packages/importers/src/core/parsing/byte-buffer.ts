const minBytes = 256 * 1024;

/** A byte queue: append at the end, drop from the start, with few copies. */
export class ByteBuffer {
  #buffer = Buffer.allocUnsafeSlow(minBytes);
  #start = 0;
  #end = 0;

  /** Valid until the next `add` or `drop`. */
  get content(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  add(piece: Uint8Array): void {
    const length = this.#end - this.#start + piece.length;
    if (this.#end + piece.length > this.#buffer.length) {
      // Up to half of the buffer may be unused, so content is rarely moved; after something large it shrinks again.
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
