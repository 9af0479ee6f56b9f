/** Keeps the folded terms of a matcher in one array. */
import { PORTION, type Portions } from '../../foundation/portions.js';
import { DOT, DOTS, ELLIPSIS, type Folding, foldCodePoint, foldText, foldUnits, isWhite, WHITE } from './folding.js';
import { isPairBefore } from './surrogates.js';

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/**
 * The folded symbols of many terms in one array: 4 bytes a symbol, no object for each term. A blank
 * term has none.
 */
export class TermPool {
  readonly count: number;
  /** Term `n` is `symbols[from[n]]` up to but not including `symbols[from[n + 1]]`. */
  readonly symbols: Int32Array;
  readonly from: Int32Array;
  /** The number of units of text that the last call of `startOf` read. */
  compared = 0;
  readonly #folding: Folding;
  readonly #units: ReturnType<typeof foldUnits>;

  private constructor(symbols: Int32Array, from: Int32Array, folding: Folding) {
    this.count = from.length - 1;
    this.symbols = symbols;
    this.from = from;
    this.#folding = folding;
    this.#units = foldUnits(folding);
  }

  static *of(terms: readonly string[], folding: Folding): Portions<TermPool> {
    let symbols = new Int32Array(terms.length * 12 + 16);
    const from = new Int32Array(terms.length + 1);
    let filled = 0;
    let left = PORTION;
    for (let index = 0; index < terms.length; index++) {
      const folded = foldText(terms[index]!, folding);
      if (folded.some((symbol) => symbol !== WHITE)) {
        if (filled + folded.length > symbols.length) {
          const larger = new Int32Array((filled + folded.length) * 2);
          larger.set(symbols.subarray(0, filled));
          symbols = larger;
        }
        symbols.set(folded, filled);
        filled += folded.length;
      }
      from[index + 1] = filled;
      left -= folded.length + 1;
      if (left < 0) {
        left = PORTION;
        yield;
      }
    }
    return new TermPool(symbols.slice(0, filled), from, folding);
  }

  /**
   * Returns the start of a term that ends at `end`, or -1 when the text does not hold the term
   * there.
   */
  startOf(term: number, text: string, end: number): number {
    const { symbols, from } = this;
    let at = end;
    for (let index = from[term + 1]! - 1; index >= from[term]!; index--) {
      let before = at > 0 ? this.#before(symbols[index]!, text, at) : -1;
      if (before < 0 && this.#isEllipsisBefore(text, at) && this.hasDots(term, index)) {
        before = at - 1;
        index -= DOTS - 1;
      }
      if (before < 0) {
        this.compared = end - at + 1;
        return -1;
      }
      at = before;
    }
    this.compared = end - at;
    return at;
  }

  #isEllipsisBefore(text: string, at: number): boolean {
    return this.#folding !== 'exact' && at > 0 && charCodeAt.call(text, at - 1) === ELLIPSIS;
  }

  /** Reports whether a term has three dots that end with the symbol at `index`. */
  hasDots(term: number, index: number): boolean {
    const first = index - DOTS + 1;
    return (
      first >= this.from[term]! &&
      index < this.from[term + 1]! &&
      this.symbols.subarray(first, index + 1).every((symbol) => symbol === DOT)
    );
  }

  /**
   * Returns the start of the symbol before `at`; a run of white space is one; -1 when the text
   * holds another.
   */
  #before(symbol: number, text: string, at: number): number {
    let before = at - 1;
    if (symbol === WHITE) {
      if (!isWhite(charCodeAt.call(text, before))) return -1;
      while (before > 0 && isWhite(charCodeAt.call(text, before - 1))) before--;
      return before;
    }
    if (!isPairBefore(text, at)) return this.#units[charCodeAt.call(text, before)] === symbol ? before : -1;
    before--;
    return foldCodePoint(codePointAt.call(text, before)!, this.#folding) === symbol ? before : -1;
  }
}
