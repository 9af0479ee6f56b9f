import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { spreadOf } from './rules/measure.js';

let collect: (() => void) | undefined;

/** Collects garbage, whether or not node was started with `--expose-gc`. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/**
 * Bytes in use after a collection: the heap, and the array buffers and foreign memory that it owns.
 */
export function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Bytes of JavaScript heap allocated per item, the median over chunks of items. A chunk during
 * which a collection ran shows as a loss and is left out; what reading the heap size allocates is
 * subtracted.
 */
export function allocatedPerItem(one: (index: number) => unknown, items: number): number {
  const chunk = Math.min(64, items);
  const used = () => process.memoryUsage().heapUsed;
  const idle = spreadOf(Array.from({ length: 20 }, () => -(used() - used()))).median;
  const bytes: number[] = [];
  collectGarbage();
  for (let from = 0; from + chunk <= items && bytes.length < 400; from += chunk) {
    const before = used();
    for (let at = from; at < from + chunk; at++) one(at);
    const taken = used() - before - idle;
    if (taken > -chunk) bytes.push(Math.max(0, taken) / chunk);
  }
  return spreadOf(bytes).median;
}
