/** One end of an audit on many machines: puts windows on a queue, and takes their results in order from the audit's directory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JudgeShard } from '../audit/source/shards.js';
import type { WindowResults } from './results.js';
import { nameOfWindow, type QueueObstacles, type WindowBounds, type WindowQueue } from './windows.js';

/** How often the queue is compared with what is missing, in milliseconds. */
const refillEveryMs = 2000;
/** After so many comparisons without a result, there is likely no worker. */
const idleRefills = 15;
/** So long a comparison that has begun is waited for at the end. */
const closeMs = 1000;
/** How often a result is looked for: file systems of a network announce no changes. */
const pollMs = 100;

export interface CoordinateOptions {
  readonly signal: AbortSignal;
  /** Called when workers have judged nothing for half a minute; once, until they do. */
  readonly onIdle?: ((obstacles: QueueObstacles) => void) | undefined;
  /** Called with false when the windows have been on the queue for a while and no worker has taken one, and then with true when one has. */
  readonly onTaken?: ((isTaken: boolean) => void) | undefined;
  /** How often the queue is compared with what is missing (2,000 ms). */
  readonly refillMs?: number | undefined;
}

export interface WindowCoordinator {
  /** Waits for the result of a window. Windows are to be given in order, each when the result of the one before is kept. */
  readonly judge: JudgeShard;
  close(): Promise<void>;
}

/**
 * Keeps the windows that have no result on the queue, and waits for results. A queue that cannot be reached, or has lost everything, is
 * filled again when it is back.
 */
export function coordinateWindows(
  windows: readonly WindowBounds[],
  queue: Pick<WindowQueue, 'add' | 'pending' | 'taken' | 'obstacles'>,
  results: WindowResults,
  options: CoordinateOptions,
): WindowCoordinator {
  const { onIdle, onTaken, refillMs = refillEveryMs } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  let left = windows;
  let taken: WindowBounds | undefined;
  let lately = { missing: -1, idle: 0 };
  let use: 'begun' | 'untaken' | 'taken' = 'begun';

  function noteUse(isTaken: boolean): void {
    if (isTaken ? use === 'untaken' : use === 'begun') onTaken?.(isTaken);
    use = isTaken ? 'taken' : 'untaken';
  }

  async function refill(): Promise<void> {
    const judged = await results.names();
    const missing = left.filter((window) => !judged.has(nameOfWindow(window)));
    const before = lately.missing;
    lately = { missing: missing.length, idle: missing.length === before ? lately.idle + 1 : 0 };
    if (missing.length === 0) return;
    if (use !== 'taken' && before !== -1) noteUse(missing.length < before || (await queue.taken()) > 0);
    const isIdle = lately.idle === idleRefills;
    // Jobs of others may be among those that wait: a window that is there already is there once.
    if ((await queue.pending()) < missing.length || isIdle) await queue.add(missing);
    if (isIdle) onIdle?.(await queue.obstacles());
  }

  const filling = (async () => {
    while (!signal.aborted) {
      // A failure of the queue is its own to report. One of the directory shows when a result is read.
      await refill().catch(() => undefined);
      await sleep(refillMs, undefined, { signal }).catch(() => undefined);
    }
  })();

  return {
    judge: async (shard) => {
      if (shard.kind !== 'window') throw new TypeError('only windows are judged by workers');
      const { window } = shard;
      // INVARIANT: the one before was kept as a part, so that its result is not needed any more.
      if (taken !== undefined) await results.remove(taken);
      taken = window;
      left = left.filter(({ from }) => from >= window.from);
      for (;;) {
        options.signal.throwIfAborted();
        const judged = await results.read(window);
        if (judged !== undefined) {
          if (use !== 'taken') noteUse(true);
          return judged;
        }
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    },
    close: async () => {
      closing.abort();
      // A queue that does not answer holds up no end.
      await Promise.race([filling, sleep(closeMs, undefined, { ref: false })]);
    },
  };
}
