import * as z from 'zod';
import { checkOption } from '../contract/parse.js';

const upTo = (max: number, byDefault: number) => {
  const error = `must be a whole number from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error }).default(byDefault);
};
/** Two thirds of an hour at most, which keeps sums inside what a timer holds. */
const milliseconds = (byDefault: number) => upTo(2_400_000, byDefault);

const limitsSchema = z.strictObject(
  {
    /** Request line and headers together; more is 431, and so are more than 200 headers. */
    headBytes: upTo(1024 * 1024, 16 * 1024),
    /** A body; more is 413. */
    bodyBytes: upTo(64 * 1024 * 1024, 1024 * 1024),
    /** From the first byte of a request, or from the opening of a connection, to the end of its head; longer is 408. */
    headMs: milliseconds(10_000),
    /** How much longer a request may take to its end; longer is 408. */
    bodyMs: milliseconds(30_000),
    /** How long a connection is kept for a next request: a client that pauses finds it alive instead of racing with its end. */
    idleMs: milliseconds(30_000),
    /** From when an answer is complete to when its client has taken it; longer ends the connection. */
    sendMs: milliseconds(60_000),
    /** How long requests in flight may take to finish after `close`. */
    closeMs: milliseconds(5_000),
    /** After as many requests a connection ends, with `connection: close` on the last answer. */
    requestsPerConnection: upTo(1_000_000_000, 10_000),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object of limits') },
);

/** How much connections and requests may take of the service: bytes and milliseconds. */
export type ServiceLimits = Readonly<z.infer<typeof limitsSchema>>;

/** Fills in the defaults. Throws `UsageError` for a limit that is unknown or not a whole number in its range. */
export function readLimits(given: unknown = {}): ServiceLimits {
  return checkOption(limitsSchema, given, 'limits');
}
