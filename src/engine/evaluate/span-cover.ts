import { firstWhere } from '../match/ordered.js';
import type { Span } from '../match/span.js';

/** An occurrence of an exception. */
export interface ExceptionSpan extends Span {
  /** Index into `CompiledExceptions.entries`. */
  readonly entry: number;
}

/** Occurrences of exceptions in a text. Which of them covers a span is found by binary search. */
export class SpanCover {
  readonly #ends: Int32Array;
  /** By position of an end: of the occurrences that end there or later, the one that begins first, and of these the first entry. */
  readonly #earliest: readonly ExceptionSpan[];

  constructor(found: ExceptionSpan[]) {
    // Not every matcher visits occurrences in the order of their ends.
    found.sort((a, b) => a.end - b.end);
    const earliest = [...found];
    for (let at = found.length - 2; at >= 0; at--) earliest[at] = earlier(found[at]!, earliest[at + 1]!);
    this.#ends = Int32Array.from(found, ({ end }) => end);
    this.#earliest = earliest;
  }

  /** The occurrence that a span lies inside: of several the one that begins first, and of these the first entry. */
  covering(start: number, end: number): ExceptionSpan | undefined {
    const ends = this.#ends;
    const first = this.#earliest[firstWhere(0, ends.length, (index) => ends[index]! >= end)];
    return first !== undefined && first.start <= start ? first : undefined;
  }
}

/** The one that begins first; of two that begin at one place, the first entry. */
export function earlier(one: ExceptionSpan, other: ExceptionSpan): ExceptionSpan {
  return (one.start - other.start || one.entry - other.entry) <= 0 ? one : other;
}
