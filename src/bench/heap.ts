import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import type { Runner } from './model.js';
import { median } from './statistics.js';

let collect: (() => void) | undefined;

/** Collects garbage, whether or not node was started with `--expose-gc`. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/** Bytes in use after a collection: heap, and the array buffers and foreign memory that it owns. */
export function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A watch over memory: called, it stops and gives the peak in bytes. `looks` counts how often it has looked. */
export type PeakWatch = (() => Promise<number>) & { readonly looks: () => number };

/** How often the watcher looks, in milliseconds: shorter peaks are not seen. */
const lookEveryMs = 1;

const watcher = `
  const { workerData } = require('node:worker_threads');
  const most = new Float64Array(workerData);
  setInterval(() => {
    most[0] = Math.max(most[0], process.memoryUsage.rss());
    most[1] += 1;
  }, ${lookEveryMs});
`;

/**
 * Starts to watch the memory of this process from a thread of its own; asked later, answers by how many bytes it went over
 * what it was at the start, and stops. The system's own mark of the highest level would not do: what prepared the messages
 * is in it, and hides what comes after.
 */
export async function watchPeak(): Promise<PeakWatch> {
  const most = new SharedArrayBuffer(16);
  const thread = new Worker(watcher, { eval: true, workerData: most });
  await once(thread, 'online');
  for (let time = 0; time < 3; time++) collectGarbage();
  const before = process.memoryUsage.rss();
  new Float64Array(most)[0] = before;
  const stop = async (): Promise<number> => {
    const now = process.memoryUsage.rss();
    const seen = new Float64Array(most)[0]!;
    await thread.terminate();
    return Math.max(0, Math.max(seen, now) - before);
  };
  return Object.assign(stop, { looks: () => new Float64Array(most)[1]! });
}

/**
 * Bytes of JavaScript heap that one question allocates, the median over chunks of messages. A chunk during which a
 * collection ran shows as a loss and is left out; so is what looking at the heap itself allocates.
 */
export function allocatedPerItem(some: NonNullable<Runner['some']>, items: number): number {
  const chunk = Math.min(64, items);
  const used = () => process.memoryUsage().heapUsed;
  const idle = median(Array.from({ length: 20 }, () => -(used() - used())));
  const bytes: number[] = [];
  collectGarbage();
  for (let from = 0; from + chunk <= items && bytes.length < 400; from += chunk) {
    const before = used();
    some(from, from + chunk);
    const taken = used() - before - idle;
    if (taken > -chunk) bytes.push(Math.max(0, taken) / chunk);
  }
  return median(bytes);
}
