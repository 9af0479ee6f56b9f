import { type Folding, foldCodePoint, foldText, foldUnits, isWhite, WHITE } from './folding.js';
import { isPairBefore } from './surrogates.js';

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** The folded symbols of many terms in one array: 4 bytes a symbol, no object for each term. A blank term has none. */
export class TermPool {
  readonly count: number;
  /** Term `n` is `symbols[from[n]]` up to but not including `symbols[from[n + 1]]`. */
  readonly symbols: Int32Array;
  readonly from: Int32Array;
  readonly bytes: number;
  /** How many units of text the last call of `startOf` read. */
  compared = 0;
  readonly #folding: Folding;
  readonly #units: ReturnType<typeof foldUnits>;

  constructor(terms: readonly string[], folding: Folding) {
    let symbols = new Int32Array(terms.length * 12 + 16);
    const from = new Int32Array(terms.length + 1);
    let filled = 0;
    terms.forEach((term, index) => {
      const folded = foldText(term, folding);
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
    });
    this.count = terms.length;
    this.symbols = symbols.slice(0, filled);
    this.from = from;
    this.bytes = this.symbols.byteLength + from.byteLength;
    this.#folding = folding;
    this.#units = foldUnits(folding);
  }

  /** Where the occurrence of a term that ends at `end` begins, or -1 when the text does not hold the term there. */
  startOf(term: number, text: string, end: number): number {
    const { symbols, from } = this;
    let at = end;
    for (let index = from[term + 1]! - 1; index >= from[term]!; index--) {
      const before = at > 0 ? this.#before(symbols[index]!, text, at) : -1;
      if (before < 0) {
        this.compared = end - at + 1;
        return -1;
      }
      at = before;
    }
    this.compared = end - at;
    return at;
  }

  /** Where the symbol that ends at `at` begins, a run of white space being one; -1 when the text holds another. */
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
