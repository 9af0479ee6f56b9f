import * as z from 'zod';
import { checkOption } from './check-option.js';
import { Refusal } from './refusal.js';
import { type Reply, refusalReply } from './reply.js';

/** How many requests the service takes, as live platforms count them: all together, in windows of a minute. */
export interface RateLimit {
  /**
   * Every request counts, whatever its path, its key and its answer; those for `/openapi.json` and, with `revisions`, `/revisions`
   * do not, since platforms have neither.
   */
  readonly requestsPerMinute: number;
  /** Milliseconds since the epoch; `Date.now` by default. For tests. */
  readonly now?: (() => number) | undefined;
}

const advice = 'should be a whole number of requests, 1 or more';
const rateLimitSchema = z.strictObject(
  {
    requestsPerMinute: z.number({ error: advice }).refine((value) => Number.isSafeInteger(value) && value >= 1, {
      error: advice,
    }),
    now: z.custom<() => number>((value) => typeof value === 'function', { error: 'should be a function' }).optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'should be an object with `requestsPerMinute`') },
);

/**
 * Answers within a limit. Every reply says the limit (`x-rate-limit`) and what is left of it (`x-rate-limit-remaining`). Past it a
 * request is refused with 429 before its operation, `retry-after` in seconds and `x-rate-limit-reset` in seconds since the
 * epoch saying when the window ends. Throws `UsageError` for a limit that is none.
 */
export function limitRate<Request>(
  options: RateLimit,
  answer: (request: Request) => Promise<Reply>,
): (request: Request) => Promise<Reply> {
  const { requestsPerMinute: limit, now = Date.now } = checkOption(rateLimitSchema, options, 'rateLimit');
  let end = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return async (request) => {
    const at = now();
    // A window begins with its first request. A clock that was set back begins a new one as well: nobody waits for years.
    if (at >= end || at < end - minute) {
      end = at + minute;
      taken = 0;
    }
    const isWithin = taken < limit;
    if (isWithin) taken += 1;
    const told = { 'x-rate-limit': limit, 'x-rate-limit-remaining': limit - taken };
    const reply = isWithin ? await answer(request) : tooMany(limit, end - at, end);
    return { ...reply, headers: { ...reply.headers, ...told } };
  };
}

const minute = 60_000;

function tooMany(limit: number, left: number, end: number): Reply {
  const seconds = Math.ceil(left / 1_000);
  const headers = { 'retry-after': String(seconds), 'x-rate-limit-reset': String(Math.ceil(end / 1_000)) };
  return refusalReply(
    new Refusal(
      429,
      'ERR_TOO_MANY_REQUESTS',
      `more than ${limit} requests came within a minute`,
      'wait as long as `retry-after` says',
      { headers },
    ),
  );
}
