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
