/** The bytes of a body, gathered from the pieces in which they come. */

const none: Uint8Array = new Uint8Array();

/** Pieces in one array: kept one by one, a body that comes byte by byte would take a hundred times its room. */
export class GatheredBytes {
  #bytes = none;
  #length = 0;

  /** Adds a piece, which must not change afterwards. A body that comes in one piece is not copied. */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (length > this.#bytes.length) {
        const larger = new Uint8Array(Math.max(length, 2 * this.#length));
        larger.set(this.#bytes.subarray(0, this.#length));
        this.#bytes = larger;
      }
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  /** All bytes so far. */
  bytes(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }
}
