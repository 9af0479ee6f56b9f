import * as z from 'zod';
import type { ListenerLimits } from '../../foundation/listener/listen.js';
import { checkOption } from '../contract/parse.js';

/** How much connections and requests may take of the service: bytes and milliseconds. More than 200 headers are 431 too. */
export interface ServiceLimits extends Omit<ListenerLimits, 'lastRequestsMs'> {
  /** A body; more is 413. */
  readonly bodyBytes: number;
}

const upTo = (max: number, byDefault: number) => {
  const error = `must be a whole number from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error }).default(byDefault);
};
/** Two thirds of an hour at most, which keeps sums inside what a timer holds. */
const milliseconds = (byDefault: number) => upTo(2_400_000, byDefault);

const limitsSchema = z.strictObject(
  {
    headBytes: upTo(1024 * 1024, 16 * 1024),
    bodyBytes: upTo(64 * 1024 * 1024, 1024 * 1024),
    headMs: milliseconds(10_000),
    bodyMs: milliseconds(30_000),
    idleMs: milliseconds(30_000),
    sendMs: milliseconds(60_000),
    closeMs: milliseconds(5_000),
    requestsPerConnection: upTo(1_000_000_000, 10_000),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object of limits') },
);

/** Fills in the defaults. Throws `UsageError` for a limit that is unknown or not a whole number in its range. */
export function readLimits(given: unknown = {}): ServiceLimits {
  return checkOption(limitsSchema, given, 'limits');
}
