/** Time limits of work that somebody waits for, combined with the signal of the caller. */
import { setMaxListeners } from 'node:events';

/** The time limit of one call. */
export interface Deadline {
  /** Aborts when the time is up or the caller aborts, whichever comes first. */
  readonly signal: AbortSignal;
  /** The reason why the call ended; `undefined` while it runs. */
  readonly endedBy: () => 'deadline' | 'caller' | undefined;
  /** Milliseconds left. */
  readonly remainingMs: () => number;
  /**
   * Throws if the call has ended, or if its timer is due and a busy event loop kept it from firing.
   */
  readonly throwIfEnded: () => void;
  /** Cancels the timer and removes the listener on the caller's signal. */
  readonly clear: () => void;
}

/**
 * Starts the timer of a call. `AbortSignal.any` is not used: on Node 20 it keeps every derived
 * signal alive as long as the caller's signal, and an audit makes thousands of calls under one
 * signal.
 */
export function startDeadline(totalMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let ended: 'deadline' | 'caller' | undefined;
  const end = (by: 'deadline' | 'caller', reason?: unknown): void => {
    ended ??= by;
    controller.abort(reason);
  };
  const endsAt = performance.now() + totalMs;
  const remainingMs = (): number => Math.max(0, endsAt - performance.now());
  const timer = setTimeout(() => end('deadline'), totalMs);
  const removeListener = onAbort(caller, (reason) => end('caller', reason));
  return {
    signal: controller.signal,
    endedBy: () => ended,
    remainingMs,
    throwIfEnded: () => {
      if (remainingMs() < 1) end('deadline');
      controller.signal.throwIfAborted();
    },
    clear: () => {
      clearTimeout(timer);
      removeListener();
    },
  };
}

/**
 * Calls `listener` with the signal's reason when the signal aborts, or at once if it has. Returns a
 * function that removes the listener.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  const notify = (): void => listener(signal?.reason);
  if (signal?.aborted === true) notify();
  else if (signal !== undefined) {
    // Node takes more than ten listeners of a signal for a leak, and warns on standard error.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', notify, { once: true });
  }
  return () => signal?.removeEventListener('abort', notify);
}

/**
 * Returns the promise of `work`, which rejects with the signal's reason as soon as the signal
 * aborts; `work` itself is not stopped.
 */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, reject);
    void work.then(resolve, reject).then(removeListener);
  });
}

/**
 * Resolves after at least `ms` milliseconds; rejects with the signal's reason as soon as it aborts.
 * The loop is needed because a timer counts from the event loop's last reading of the clock and may
 * fire early.
 */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + ms;
  for (let left = ms; left > 0; left = endsAt - performance.now()) {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.ceil(left));
    });
    await unlessAborted(signal, passed).finally(() => clearTimeout(timer));
  }
  signal.throwIfAborted();
}
