import type { Surroundings } from './surroundings.js';

/**
 * Waits so many milliseconds, and no less: a timer counts from when the event loop last looked at the clock, so it may
 * fire early. Rejects with the signal's reason as soon as it aborts.
 */
export async function pause(ms: number, signal: AbortSignal, surroundings: Surroundings): Promise<void> {
  const endsAt = surroundings.elapsedMs() + ms;
  for (let left = ms; left > 0; left = endsAt - surroundings.elapsedMs()) {
    const wait = Math.ceil(left);
    await interruptible(signal, (done) => surroundings.after(wait, done));
  }
  signal.throwIfAborted();
}

/**
 * A promise that `start` resolves by calling `done`, and that the signal rejects with its reason. `start` gives back how
 * to let go of what it began; the signal is let go of in either case.
 */
export function interruptible(signal: AbortSignal, start: (done: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      stop();
      reject(signal.reason);
    };
    const stop = start(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** The same promise, but rejecting with the signal's reason as soon as that aborts, whatever becomes of the work. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).then(() => signal.removeEventListener('abort', onAbort));
  });
}
