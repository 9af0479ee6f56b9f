import { firstWhere } from '../match/binary-search.js';
import { Advice, type KeywordMatcher } from '../match/keyword-scan.js';

/** Occurrences of a matcher's terms in a text. Whether one of them covers a span is found by binary search. */
export class SpanCover {
  /** Ends of occurrences, ascending, and the earliest start of those that end there or later. */
  readonly #ends: Int32Array;
  readonly #earliest: Int32Array;

  constructor(matcher: KeywordMatcher, text: string) {
    const found: { readonly start: number; readonly end: number }[] = [];
    matcher.scan(text, (_, start, end) => {
      found.push({ start, end });
      // Shorter terms with the same end cover nothing else.
      return Advice.SKIP_SHORTER;
    });
    // Not every matcher visits occurrences in the order of their ends.
    found.sort((a, b) => a.end - b.end);
    this.#ends = new Int32Array(found.length);
    this.#earliest = new Int32Array(found.length);
    let earliest = text.length;
    for (let at = found.length - 1; at >= 0; at--) {
      const { start, end } = found[at]!;
      earliest = Math.min(earliest, start);
      this.#ends[at] = end;
      this.#earliest[at] = earliest;
    }
  }

  covers(start: number, end: number): boolean {
    const ends = this.#ends;
    const first = firstWhere(0, ends.length, (index) => ends[index]! >= end);
    return first < ends.length && this.#earliest[first]! <= start;
  }
}
