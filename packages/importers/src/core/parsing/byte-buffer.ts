const smallest = 256 * 1024;

/** Bytes that come in pieces, as one: added at the end, taken from the beginning, and copied no more often than must be. */
export class ByteRoom {
  #room = Buffer.allocUnsafeSlow(smallest);
  #start = 0;
  #end = 0;

  /** All that is held. It is there until something is added or dropped. */
  get held(): Buffer {
    return this.#room.subarray(this.#start, this.#end);
  }

  add(piece: Uint8Array): void {
    const length = this.#end - this.#start + piece.length;
    if (this.#end + piece.length > this.#room.length) {
      // Half of it may stand empty, so that what is held is seldom moved; after something large it becomes small again.
      const fits = length * 2 <= this.#room.length && this.#room.length <= Math.max(smallest, length * 8);
      const room = fits ? this.#room : Buffer.allocUnsafeSlow(Math.max(smallest, length * 2));
      this.#room.copy(room, 0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
      this.#room = room;
    }
    this.#room.set(piece, this.#end);
    this.#end += piece.length;
  }

  drop(count: number): void {
    this.#start += count;
  }
}
