import type { Pass, Runner } from './model.js';
import { median } from './statistics.js';

type Loop<Item> = (countOf: (item: Item) => number, items: readonly Item[], from: number, to: number) => number;

let loops = 0;

/**
 * A separate loop for every contender. A shared one would have many call targets, of which the compiler inlines none, which
 * slows the fastest contenders most; in production each has its own call site too. The serial number keeps the compilation
 * cache from returning the same function twice.
 */
function createLoop<Item>(): Loop<Item> {
  loops += 1;
  const body = 'let count = 0; for (let at = from; at < to; at++) count += countOf(items[at]); return count;';
  return new Function('countOf', 'items', 'from', 'to', `${body} // ${loops}`) as Loop<Item>;
}

/**
 * A contender inside this process: `countOf` is what one item adds to the count. Every count is
 * compared with that of the first pass, so no work can be optimised away. The runner throws `Error` when they differ.
 */
export function localRunner<Item>(items: readonly Item[], countOf: (item: Item) => number, close?: () => void): Runner {
  const loop = createLoop<Item>();
  let first: number | undefined;
  const checked = (count: number): number => {
    first ??= count;
    if (count !== first) throw new Error(`counted ${count} after ${first} over the same messages`);
    return count;
  };
  const pass = (times: number): Pass => {
    const startedAt = performance.now();
    const count = checked(loop(countOf, items, 0, items.length));
    for (let time = 1; time < times; time++) checked(loop(countOf, items, 0, items.length));
    return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
  };
  const latencies = (): Float64Array => {
    const clockNs = clockCost();
    const taken = new Float64Array(items.length);
    let count = 0;
    for (let at = 0; at < items.length; at++) {
      const startedAt = performance.now();
      count += countOf(items[at]!);
      taken[at] = Math.max(0, (performance.now() - startedAt) * 1e6 - clockNs);
    }
    checked(count);
    return taken;
  };
  return { pass, latencies, range: (from, to) => loop(countOf, items, from, to), ...(close && { close }) };
}

/** Nanoseconds between two readings of the clock, the median of many: subtracted where single messages are timed. */
function clockCost(): number {
  return median(
    Array.from({ length: 1001 }, () => {
      const startedAt = performance.now();
      return (performance.now() - startedAt) * 1e6;
    }),
  );
}
