/** What a client takes from the world around it. Tests bring their own, so that no clock has to be replaced globally. */
export interface Surroundings {
  /** The time of day in milliseconds since 1970; dates in headers are read against it. */
  readonly wallMs: () => number;
  /** Milliseconds that only ever grow, also when somebody sets the clock. */
  readonly elapsedMs: () => number;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Calls `fire` after so many milliseconds, unless the function that it gives back is called before. */
  readonly after: (ms: number, fire: () => void) => () => void;
}

/** The real ones. */
export const systemSurroundings: Surroundings = {
  wallMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  random: () => Math.random(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
