/** The clocks, timers and random numbers of a client. Tests inject their own, so that no global clock is replaced. */
export interface Environment {
  /** The time of day in milliseconds since 1970; dates in headers are compared with it. */
  readonly wallMs: () => number;
  /** A monotonic clock in milliseconds. */
  readonly elapsedMs: () => number;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Calls `fire` after `ms` milliseconds, unless the returned function is called first. */
  readonly after: (ms: number, fire: () => void) => () => void;
}

/** The clocks and timers of this process. */
export const systemEnvironment: Environment = {
  wallMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  random: () => Math.random(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

/** The time limit of one call, joined with the signal of its caller. */
export interface Deadline {
  /** Aborts when the time is up or the caller aborts, whichever comes first. */
  readonly signal: AbortSignal;
  /** The reason why the call ended; `undefined` while it runs. */
  readonly endedBy: () => 'deadline' | 'caller' | undefined;
  /** Milliseconds left. */
  readonly remainingMs: () => number;
  /**
   * Throws the signal's reason when the call has ended. It also ends a call with less than a millisecond left, whose timer
   * is due: a busy event loop may have kept it from firing.
   */
  readonly throwIfEnded: () => void;
  /** Cancels the timer and removes the listener on the caller's signal. */
  readonly clear: () => void;
}

/**
 * Starts the timer of a call. `AbortSignal.any` is not used: on Node 20 it keeps every derived signal alive as long as
 * the caller's own, and an audit makes thousands of calls under one signal.
 */
export function startDeadline(
  totalMs: number,
  caller: AbortSignal | undefined,
  { after, elapsedMs }: Environment,
): Deadline {
  const controller = new AbortController();
  let ended: 'deadline' | 'caller' | undefined;
  const end = (by: 'deadline' | 'caller', reason?: unknown): void => {
    ended ??= by;
    controller.abort(reason);
  };
  const endsAt = elapsedMs() + totalMs;
  const remainingMs = (): number => Math.max(0, endsAt - elapsedMs());
  const cancel = after(totalMs, () => end('deadline'));
  const unlink = onAbort(caller, (reason) => end('caller', reason));
  return {
    signal: controller.signal,
    endedBy: () => ended,
    remainingMs,
    throwIfEnded: () => {
      if (remainingMs() < 1) end('deadline');
      controller.signal.throwIfAborted();
    },
    clear: () => {
      cancel();
      unlink();
    },
  };
}

/** The functions that wait for each signal, behind one listener: Node takes more than ten of a signal for a leak, and warns on standard error. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `listener` with the signal's reason when it aborts, at once when it has; returns how to remove the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: unknown) => void): () => void {
  if (signal === undefined) return () => undefined;
  const own = (): void => listener(signal.reason);
  if (signal.aborted) {
    own();
    return () => undefined;
  }
  const all = waiting.get(signal) ?? new Set();
  waiting.set(signal, all);
  if (all.size === 0) signal.addEventListener('abort', callAll, { once: true });
  all.add(own);
  return () => {
    if (all.delete(own) && all.size === 0) signal.removeEventListener('abort', callAll);
  };
}

function callAll(this: AbortSignal): void {
  for (const own of waiting.get(this) ?? []) own();
}

/**
 * Resolves after at least `ms` milliseconds; rejects with the signal's reason as soon as it aborts. The loop is needed
 * because a timer counts from the event loop's last reading of the clock and may fire early.
 */
export async function pause(ms: number, signal: AbortSignal, environment: Environment): Promise<void> {
  const endsAt = environment.elapsedMs() + ms;
  for (let left = ms; left > 0; left = endsAt - environment.elapsedMs()) {
    const wait = Math.ceil(left);
    await abortable(signal, (done) => environment.after(wait, done));
  }
  signal.throwIfAborted();
}

/**
 * A promise that `start` resolves by calling `done`, and that rejects with the signal's reason when it aborts first.
 * `start` returns a function that cancels what it began. The abort listener is removed in either case.
 */
export function abortable(signal: AbortSignal, start: (done: () => void) => () => void): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, (reason) => {
      cancel();
      reject(reason);
    });
    const cancel = start(() => {
      unlink();
      resolve();
    });
  });
}

/** The promise of `work`, rejected with the signal's reason as soon as that aborts; `work` itself is not stopped. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, reject);
    void work.then(resolve, reject).then(unlink);
  });
}
