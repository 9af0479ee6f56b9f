/**
 * Long work in portions: a generator that yields between pieces of a bounded size. It is run at
 * once, or with pauses in which the event loop runs. The result is the same, since the pieces are
 * the same: a clock decides only when pauses are made.
 */

/**
 * Work that yields between portions and returns its result. Cleans up in `finally` when it is left
 * before its end.
 */
export type Portions<T> = Generator<undefined, T, undefined>;

/**
 * The number of steps of a few nanoseconds in a portion: symbols of terms, states, entries of
 * lists. Longer steps are portions of their own.
 */
export const PORTION = 4096;

/** Milliseconds of work between two pauses; a portion that was begun is finished. */
const LONGEST_RUN = 8;

/**
 * Visits the indices from 0 on in ranges of `PORTION`. The loop is in `visit`, since it is half as
 * fast in a generator.
 */
export function* inRanges(length: number, visit: (begin: number, end: number) => void): Portions<void> {
  for (let begin = 0; begin < length; begin += PORTION) {
    visit(begin, Math.min(begin + PORTION, length));
    yield;
  }
}

/**
 * Visits items in ranges of about `PORTION` symbols, or a single longer item. Item `n` has the
 * symbols from `from[n]` to `from[n + 1]`.
 */
export function* inRangesOfItems(from: Int32Array, visit: (begin: number, end: number) => void): Portions<void> {
  for (let begin = 0; begin < from.length - 1; ) {
    let end = begin + 1;
    const most = Math.min(begin + PORTION, from.length - 1);
    while (end < most && from[end + 1]! - from[begin]! < PORTION) end++;
    visit(begin, end);
    begin = end;
    yield;
  }
}

/** Runs work to its end. */
export function runAtOnce<T>(work: Portions<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/**
 * Runs work with pauses. Rejects with its error, or with the reason of `signal` once that is
 * aborted.
 */
export async function runWithPauses<T>(work: Portions<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    for (const pause = createPace(); ; ) {
      const { done, value } = work.next();
      if (done === true) return value;
      const due = pause();
      if (due === undefined) continue;
      await due;
      signal?.throwIfAborted();
    }
  } finally {
    work.return(undefined as T);
  }
}

/**
 * Paces long work: the returned function is called between two steps of it, and returns a pause to
 * wait for if the work has run for `LONGEST_RUN` milliseconds since the last one.
 */
export function createPace(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < LONGEST_RUN) return undefined;
    return nextTask().then(() => {
      since = performance.now();
    });
  };
}

interface Port {
  onmessage: () => void;
  postMessage(message: undefined): void;
  close(): void;
}

/** The last task that was waited for. */
let last = Promise.resolve();

/**
 * Waits for a task of the event loop. Many waiting callers continue one at a time, so that short
 * work, such as a request, waits for one portion and not for one of each.
 */
export function nextTask(): Promise<void> {
  last = last.then(task);
  return last;
}

/**
 * Waits for a task of the event loop, by a message: browsers delay a timer by 4 ms. Each wait has
 * its own channel: Node.js takes up to a thousand messages of one channel in one task, also those
 * that arrive meanwhile.
 */
function task(): Promise<void> {
  return new Promise((resolve) => {
    // The type is declared by hand, since the types of Node.js lack `onmessage`, and those of the
    // DOM are not loaded.
    const { port1, port2 } = new MessageChannel() as unknown as Readonly<Record<'port1' | 'port2', Port>>;
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
