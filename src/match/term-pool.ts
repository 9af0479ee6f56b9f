import { type Folding, foldCodePoint, foldText, foldUnits, isWhite, WHITE } from './folding.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** The folded symbols of many terms in one array: 4 bytes a symbol, no object for each term. */
export interface TermPool {
  readonly count: number;
  /** Term `n` is `symbols[from[n]]` up to but not including `symbols[from[n + 1]]`. */
  readonly symbols: Int32Array;
  readonly from: Int32Array;
  readonly bytes: number;
  /** Where the occurrence of a term that ends at `end` begins, or -1 when the text does not hold the term there. */
  startOf(term: number, text: string, end: number): number;
}

/** Folds terms. A blank one has no symbols here, so that nothing looks for it. */
export function poolTerms(terms: readonly string[], folding: Folding): TermPool {
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
  symbols = symbols.slice(0, filled);
  const units = foldUnits(folding);
  return {
    count: terms.length,
    symbols,
    from,
    bytes: symbols.byteLength + from.byteLength,
    startOf: (term, text, end) => {
      let at = end;
      for (let index = from[term + 1]! - 1; index >= from[term]!; index--) {
        const symbol = symbols[index]!;
        if (at <= 0) return -1;
        if (symbol === WHITE) {
          if (!isWhite(charCodeAt.call(text, at - 1))) return -1;
          while (at > 0 && isWhite(charCodeAt.call(text, at - 1))) at--;
        } else if (isPairBefore(text, at)) {
          at -= 2;
          if (foldCodePoint(codePointAt.call(text, at)!, folding) !== symbol) return -1;
        } else if (units[charCodeAt.call(text, --at)] !== symbol) return -1;
      }
      return at;
    },
  };
}

function isPairBefore(text: string, at: number): boolean {
  return (
    at >= 2 &&
    (charCodeAt.call(text, at - 1) & 0xfc00) === 0xdc00 &&
    (charCodeAt.call(text, at - 2) & 0xfc00) === 0xd800
  );
}
