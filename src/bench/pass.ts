import type { Pass, Runner } from './model.js';
import { median } from './statistics.js';

type Loop<Item> = (ask: (item: Item) => number, items: readonly Item[], from: number, to: number) => number;

let made = 0;

/**
 * A loop of its own for every contender. One shared loop would see many targets at its call and stop inlining any of them,
 * which costs the fastest contenders most; in production each has its own call site too. The serial number keeps the
 * compiler's cache from handing out the same function twice.
 */
function createLoop<Item>(): Loop<Item> {
  made += 1;
  return new Function(
    'ask',
    'items',
    'from',
    'to',
    `let count = 0; for (let at = from; at < to; at++) count += ask(items[at]); return count; // ${made}`,
  ) as Loop<Item>;
}

/** Where counts go so that no work is seen to be useless. Every count that enters is also compared by the caller. */
let escaped = 0;

/** Sum of everything that was counted: read once at the end of a run, so that results provably escape. */
export function escapedCount(): number {
  return escaped;
}

/**
 * A contender inside this process: `ask` is one question about one item and answers what it adds to the count.
 * `pass` throws `Error` when two passes count differently.
 */
export function localRunner<Item>(items: readonly Item[], ask: (item: Item) => number, close?: () => void): Runner {
  const loop = createLoop<Item>();
  const pass = (times: number): Pass => {
    if (times === 0) return { ns: 0, count: loop(ask, items, 0, items.length) };
    const startedAt = performance.now();
    const count = loop(ask, items, 0, items.length);
    escaped += count;
    for (let time = 1; time < times; time++) {
      const again = loop(ask, items, 0, items.length);
      if (again !== count) throw new Error(`counted ${again} after ${count} over the same messages`);
      escaped += again;
    }
    return { ns: ((performance.now() - startedAt) * 1e6) / times, count };
  };
  const each = (): Float64Array => {
    const clockNs = clockCost();
    const taken = new Float64Array(items.length);
    for (let at = 0; at < items.length; at++) {
      const startedAt = performance.now();
      escaped += ask(items[at]!);
      taken[at] = Math.max(0, (performance.now() - startedAt) * 1e6 - clockNs);
    }
    return taken;
  };
  return { pass, each, some: (from, to) => loop(ask, items, from, to), ...(close && { close }) };
}

/** What looking at the clock twice takes, in nanoseconds: the median of many, taken off where single messages are timed. */
function clockCost(): number {
  return median(
    Array.from({ length: 1001 }, () => {
      const startedAt = performance.now();
      return (performance.now() - startedAt) * 1e6;
    }),
  );
}
