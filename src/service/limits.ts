import { UsageError } from '../errors.js';

/** What a connection and a request may take of the service: bytes, requests, and milliseconds. */
export interface ServiceLimits {
  /** Request line and headers together; more is 431, and so are more than 200 headers. */
  readonly headBytes: number;
  /** A body; more is 413. */
  readonly bodyBytes: number;
  /** From the first byte of a request, or from the opening of a connection, to the end of its head; longer is 408. */
  readonly headMs: number;
  /** From when the body is wanted to its end; longer is 408. */
  readonly bodyMs: number;
  /** How long a connection is kept for a next request. */
  readonly idleMs: number;
  /** From when an answer is complete to when its client has taken it; longer ends the connection. */
  readonly sendMs: number;
  /** How long requests in flight may take to finish after `close`. */
  readonly closeMs: number;
  /** After as many requests a connection ends, with `connection: close` on the last answer. */
  readonly requestsPerConnection: number;
}

/** `idleMs` is longer than the 5 s of node: a client that pauses finds its connection alive instead of racing with its end. */
export const defaultLimits: ServiceLimits = {
  headBytes: 16 * 1024,
  bodyBytes: 1024 * 1024,
  headMs: 10_000,
  bodyMs: 30_000,
  idleMs: 30_000,
  sendMs: 60_000,
  closeMs: 5_000,
  requestsPerConnection: 10_000,
};

/** The most that each limit can be: two thirds of an hour for times, which keeps sums inside what a timer holds. */
const largest: ServiceLimits = {
  headBytes: 1024 * 1024,
  bodyBytes: 64 * 1024 * 1024,
  headMs: 2_400_000,
  bodyMs: 2_400_000,
  idleMs: 2_400_000,
  sendMs: 2_400_000,
  closeMs: 2_400_000,
  requestsPerConnection: 1_000_000_000,
};

/** Fills in the defaults. Throws `UsageError` for a limit that is not known, and for one that is no whole number in its range. */
export function readLimits(given: { readonly [Name in keyof ServiceLimits]?: number | undefined } = {}): ServiceLimits {
  if (typeof given !== 'object' || given === null) throw new UsageError('`limits` should be an object');
  const limits: Record<string, number> = { ...defaultLimits };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const max = Object.hasOwn(largest, name) ? largest[name as keyof ServiceLimits] : undefined;
    if (max === undefined) {
      throw new UsageError(`\`limits.${name}\` is no limit; there are ${Object.keys(defaultLimits).join(', ')}`);
    }
    if (!Number.isSafeInteger(value) || value < 1 || value > max) {
      throw new UsageError(`\`limits.${name}\` should be a whole number from 1 to ${max}`);
    }
    limits[name] = value;
  }
  return limits as unknown as ServiceLimits;
}
