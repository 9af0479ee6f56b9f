import type { Span } from '../match/span.js';

/** Answers whether a span lies inside one of a set of spans, in the time of a binary search. */
export interface SpanCover {
  covers(start: number, end: number): boolean;
}

export function createSpanCover(spans: readonly Span[]): SpanCover {
  const byStart = [...spans].sort((a, b) => a.start - b.start);
  const furthest: number[] = [];
  for (const { end } of byStart) furthest.push(Math.max(furthest.at(-1) ?? 0, end));
  return {
    covers: (start, end) => {
      let low = 0;
      let high = byStart.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (byStart[middle]!.start <= start) low = middle + 1;
        else high = middle;
      }
      return low > 0 && furthest[low - 1]! >= end;
    },
  };
}
