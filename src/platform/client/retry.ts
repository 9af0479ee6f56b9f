import { isTransientStatus } from '../../foundation/errors.js';
import { errorCode } from './errors.js';
import type { Settings } from './options.js';
import type { RateLimit } from './rate-limit.js';
import type { WireResponse } from './transport.js';

/** How one attempt ended. `blocked` was not sent: the throttle admits no request before the deadline of the call. */
export type AttemptResult =
  | { readonly kind: 'response'; readonly response: WireResponse; readonly rateLimit: RateLimit }
  | { readonly kind: 'fault'; readonly thrown: unknown }
  | { readonly kind: 'blocked'; readonly blockedMs: number };

/** The step after an attempt: another one after a wait, or none; `budget-spent` where only the budget forbids one. */
export type RetryPlan = { readonly waitMs: number } | 'final' | 'budget-spent';

/** Decides what follows each attempt of a client's calls. */
interface RetryPolicy {
  /** `attempts` are those made, the one that just ended among them; `repeatable` is the operation's (§4). */
  readonly plan: (
    result: AttemptResult,
    call: { readonly repeatable: boolean; readonly attempts: number; readonly remainingMs: number },
  ) => RetryPlan;
}

/**
 * Creates the policy of a client. Another attempt follows only where the operation is repeatable, the failure is transient,
 * the delay that the response demands ends before the deadline, and the budget has a retry left. The backoff is added to
 * that delay, so that clients which were given the same instant do not return together; it takes at most half of the time
 * left, and has full jitter: with half of it, clients that failed together would still return together.
 *
 * The budget is a token bucket that starts full. Only final responses refill it, and a successful retry adds no more than
 * any other: against a dead platform N calls become at most N + `budget` requests, and against one that fails half of the
 * time the retries stay under `budgetRatio` of the calls once the bucket is empty.
 */
export function createRetryPolicy(retry: Settings['retry'], random: () => number): RetryPolicy {
  // Counted in thousandths, since ten times 0.1 is not 1.
  const full = retry.budget * 1000;
  const share = Math.round(retry.budgetRatio * 1000);
  let left = full;
  return {
    plan: (result, { repeatable, attempts, remainingMs }) => {
      const isFailure = isTransient(result);
      if (result.kind === 'response' && !isFailure) left = Math.min(full, left + share);
      if (!repeatable || attempts >= retry.attempts || !isFailure) return 'final';
      const stated = result.kind === 'response' ? result.rateLimit.demandedMs : undefined;
      const demandedMs = Math.min(stated ?? 0, retry.maxWaitMs);
      if (demandedMs >= remainingMs) return 'final';
      if (left < 1000) return 'budget-spent';
      left -= 1000;
      const backoffMs = random() * Math.min(retry.capMs, retry.baseMs * 2 ** (attempts - 1));
      return { waitMs: demandedMs + Math.min(backoffMs, (remainingMs - demandedMs) / 2) };
    },
  };
}

/**
 * Faults of a connection that failed or broke off, and the time-outs of the dispatcher. Invalid certificates, invalid
 * HTTP, contradicting lengths, oversized headers and a closed dispatcher are permanent.
 */
const transientCodes: ReadonlySet<string> = new Set(
  (
    'ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN ENETRESET ' +
    'ENOTFOUND EAI_AGAIN UND_ERR_SOCKET UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT'
  ).split(' '),
);

/** Reports whether the next attempt may have another result. */
function isTransient(result: AttemptResult): boolean {
  if (result.kind === 'fault') return transientCodes.has(errorCode(result.thrown));
  if (result.kind === 'blocked') return false;
  return isTransientStatus(result.response.status);
}
