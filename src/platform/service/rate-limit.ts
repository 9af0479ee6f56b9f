/** A limit on how many requests the service answers, as live platforms have one. */
import type { MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { checkOption } from '../contract/parse.js';
import { Problem } from './errors.js';

const advice = 'must be a whole number of requests, 1 or more';
const rateLimitSchema = z.strictObject(
  {
    /** Every request counts, whatever its path, its key and its answer, but those for `/openapi.json`, which platforms do not have. */
    requestsPerMinute: z.int({ error: advice }).min(1, { error: advice }),
    /** Milliseconds since the epoch; `Date.now` by default. For tests. */
    now: z.custom<() => number>((value) => typeof value === 'function', { error: 'must be a function' }).optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object with `requestsPerMinute`') },
);

/** How many requests the service takes, as live platforms count them: all together, in windows of a minute. */
export type RateLimit = Readonly<z.infer<typeof rateLimitSchema>>;

const minute = 60_000;

/**
 * Answers within a limit. Every answer has the limit (`x-rate-limit`) and what is left of it (`x-rate-limit-remaining`). Beyond it, a request
 * ends with 429 before its operation; `retry-after` in seconds and `x-rate-limit-reset` in seconds since the epoch say when the window ends.
 * Throws `UsageError` for a limit that cannot be used.
 */
export function limitRate(options: RateLimit): MiddlewareHandler {
  const { requestsPerMinute: limit, now = Date.now } = checkOption(rateLimitSchema, options, 'rateLimit');
  let end = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return async (context, next) => {
    const at = now();
    // A window begins with its first request. A clock that was set back begins a new one as well, or clients would wait for years.
    if (at >= end || at < end - minute) {
      end = at + minute;
      taken = 0;
    }
    const isWithin = taken < limit;
    if (isWithin) taken += 1;
    const counts = { 'x-rate-limit': String(limit), 'x-rate-limit-remaining': String(limit - taken) };
    if (!isWithin) {
      const retryAfter = String(Math.ceil((end - at) / 1_000));
      const headers = { ...counts, 'retry-after': retryAfter, 'x-rate-limit-reset': String(Math.ceil(end / 1_000)) };
      const message = `more than ${limit} requests came within a minute`;
      throw new Problem(429, 'ERR_TOO_MANY_REQUESTS', message, 'wait as long as `retry-after` says', { headers });
    }
    await next();
    for (const [name, value] of Object.entries(counts)) context.res.headers.set(name, value);
  };
}
