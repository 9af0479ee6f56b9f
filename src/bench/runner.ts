import type { Pass, Runner } from './model.js';
import { median } from './statistics.js';

type Loop<Item> = (ask: (item: Item) => number, items: readonly Item[], from: number, to: number) => number;

let loops = 0;

/**
 * A loop of its own for every contender. One shared loop would see many call targets and stop inlining any of them, which
 * costs the fastest contenders most; in production each has its own call site too. The serial number keeps the compilation
 * cache from returning the same function twice.
 */
function createLoop<Item>(): Loop<Item> {
  loops += 1;
  const body = 'let count = 0; for (let at = from; at < to; at++) count += ask(items[at]); return count;';
  return new Function('ask', 'items', 'from', 'to', `${body} // ${loops}`) as Loop<Item>;
}

/**
 * A contender inside this process: `ask` answers the question about one item by what it adds to the count. Every count is
 * compared with that of the first pass, so no work can be optimised away. The runner throws `Error` when they differ.
 */
export function localRunner<Item>(items: readonly Item[], ask: (item: Item) => number, close?: () => void): Runner {
  const loop = createLoop<Item>();
  let first: number | undefined;
  const checked = (count: number): number => {
    first ??= count;
    if (count !== first) throw new Error(`counted ${count} after ${first} over the same messages`);
    return count;
  };
  const pass = (times: number): Pass => {
    const startedAt = performance.now();
    const count = checked(loop(ask, items, 0, items.length));
    for (let time = 1; time < times; time++) checked(loop(ask, items, 0, items.length));
    return { ns: ((performance.now() - startedAt) * 1e6) / Math.max(1, times), count };
  };
  const latencies = (): Float64Array => {
    const clockNs = clockCost();
    const taken = new Float64Array(items.length);
    let count = 0;
    for (let at = 0; at < items.length; at++) {
      const startedAt = performance.now();
      count += ask(items[at]!);
      taken[at] = Math.max(0, (performance.now() - startedAt) * 1e6 - clockNs);
    }
    checked(count);
    return taken;
  };
  return { pass, latencies, range: (from, to) => loop(ask, items, from, to), ...(close && { close }) };
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
