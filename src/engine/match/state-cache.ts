/**
 * The cached states of a lazy automaton: rows of cells of a fixed width, one for each key that was
 * requested. Texts reach few states, and most steps are in fewer still (figures in
 * bench/record/design.md), so rows are few and stay in the processor's caches.
 */

/** A cell whose target is not known, or has no row. */
export const UNKNOWN = 0xffff;
/** Set in a cell whose step means more than its target. `UNKNOWN` has that bit, too. */
export const FLAG = 1 << 15;
/** The most rows, whose numbers leave that bit and differ from `UNKNOWN`. */
const MAX_ROWS = FLAG - 1;
const FIRST_ROWS = 64;

/** The rows. A row's number counts units of `2 ** bits` cells, of which it has one or more. */
export class StateCache {
  /**
   * `cells[(row << bits) + column]`. Replaced when rows are added: read it again after each call.
   */
  cells = new Uint16Array(0);
  /** Key of each row. */
  keys = new Int32Array(0);
  readonly #rows = new Map<number, number>();
  readonly #bits: number;
  readonly #stride: number;
  readonly #most: number;
  #missed = 0;

  /** `width` columns, a multiple of `2 ** bits`; no more than `most` rows at once. */
  constructor(bits: number, width: number, most = MAX_ROWS) {
    this.#bits = bits;
    this.#stride = width >> bits;
    this.#most = Math.min(most, Math.floor(MAX_ROWS / this.#stride));
    this.#grow(FIRST_ROWS);
  }

  /** Returns the row of a key, made if there is none; -1 when there is no room. */
  rowOf(key: number): number {
    return this.#rows.get(key) ?? this.#add(key);
  }

  /**
   * Forgets all rows if there was no room as often as there are rows: texts may have changed since
   * the rows were made. Returns whether it did. Not to be called while a row is in use.
   */
  clearWhenStale(): boolean {
    if (this.#missed < this.#most) return false;
    this.#missed = 0;
    this.#rows.clear();
    return true;
  }

  #add(key: number): number {
    const row = this.#rows.size * this.#stride;
    if (this.#rows.size === this.#most) {
      this.#missed++;
      return -1;
    }
    if (row + this.#stride > this.keys.length) this.#grow(2 * this.keys.length);
    this.cells.fill(UNKNOWN, row << this.#bits, (row + this.#stride) << this.#bits);
    this.keys[row] = key;
    this.#rows.set(key, row);
    return row;
  }

  #grow(rows: number): void {
    const cells = new Uint16Array(rows << this.#bits);
    const keys = new Int32Array(rows);
    cells.set(this.cells);
    keys.set(this.keys);
    this.cells = cells;
    this.keys = keys;
  }
}
