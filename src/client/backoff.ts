/** How long waits between attempts may become. */
export interface BackoffLimits {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * The wait before retry number `retry`, from 0, in milliseconds: anything from 0 up to `min(capMs, baseMs * 2^retry)`.
 * Full jitter spreads clients that failed together; half of it would still let them come back as a crowd.
 */
export function backoffMs(retry: number, { baseMs, capMs }: BackoffLimits, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** retry);
}
