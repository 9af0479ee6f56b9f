import { UsageError } from '../errors.js';
import { errorCode } from './errors.js';
import { demandedDelayMs, type RateLimit } from './rate-limit.js';
import type { WireResponse } from './transport.js';
import { longestTimerMs, wholeNumber } from './validate.js';

/**
 * When a request is sent again: only for operations that do the same when done twice (reads and read markers, never
 * tags), and only after a broken connection, a time-out of one attempt, or status 408, 429 or 5xx other than 501.
 */
export interface RetryOptions {
  /** Attempts of one call, the first among them. Default 3, at most 10; 1 is no retry. */
  readonly attempts?: number | undefined;
  /** Retry number i, from 0, comes after a random wait of up to `min(capMs, baseMs * 2^i)`. Default 1,000. */
  readonly baseMs?: number | undefined;
  /** Longest random wait. A `Retry-After` is added to it. Default 20,000. */
  readonly capMs?: number | undefined;
  /** Retries that all calls of the client together may make before responses earn new ones. Default 20. */
  readonly budget?: number | undefined;
  /** Part of a retry that each answered call earns, up to `budget`: from 0 to 1. Default 0.1. */
  readonly budgetRatio?: number | undefined;
}

/** The options after validation. */
export interface RetrySettings {
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly budget: { readonly retries: number; readonly ratio: number };
}

/** Validates `retry`; `false` is one attempt. Throws `UsageError`. */
export function readRetryOptions(retry: unknown): RetrySettings {
  if (retry !== undefined && retry !== false && (typeof retry !== 'object' || retry === null)) {
    throw new UsageError('`retry` should be `false`, or an object such as `{ attempts: 3 }`');
  }
  const options: RetryOptions = retry === false ? { attempts: 1 } : (retry ?? {});
  const ratio: unknown = options.budgetRatio ?? 0.1;
  if (typeof ratio !== 'number' || !(ratio >= 0 && ratio <= 1)) {
    throw new UsageError('`retry.budgetRatio` should be a number from 0 to 1');
  }
  return {
    attempts: wholeNumber('retry.attempts', options.attempts ?? 3, 1, 10),
    baseMs: wholeNumber('retry.baseMs', options.baseMs ?? 1000, 0, longestTimerMs),
    capMs: wholeNumber('retry.capMs', options.capMs ?? 20_000, 0, longestTimerMs),
    budget: { retries: wholeNumber('retry.budget', options.budget ?? 20, 0, 1_000_000), ratio },
  };
}

/** How one attempt ended. `blocked` was not sent: the throttle admits no request before the deadline of the call. */
export type AttemptResult =
  | { readonly kind: 'response'; readonly response: WireResponse; readonly rateLimit: RateLimit }
  | { readonly kind: 'fault'; readonly thrown: unknown }
  | { readonly kind: 'blocked'; readonly blockedMs: number };

/** What follows an attempt: another one after a wait, or none; `budget-spent` where only the budget forbids one. */
export type RetryPlan = { readonly waitMs: number } | 'final' | 'budget-spent';

/** What a plan depends on besides the result of the attempt. */
export interface RetryContext {
  readonly repeatable: boolean;
  /** Attempts made, the one that just ended among them. */
  readonly attempts: number;
  readonly remainingMs: number;
  readonly retry: RetrySettings;
  readonly budget: RetryBudget;
  readonly random: () => number;
}

/**
 * Plans what follows an attempt: another one only where the operation is repeatable, the failure is transient, the delay
 * that the response demands ends before the deadline, and the budget has a retry left. The backoff is added to that
 * delay, so that clients which were given the same instant do not return together; it takes at most half of the time left.
 */
export function planRetry(result: AttemptResult, context: RetryContext): RetryPlan {
  const { repeatable, attempts, remainingMs, retry, budget, random } = context;
  if (!repeatable || attempts >= retry.attempts || !isTransient(result)) return 'final';
  const demandedMs = result.kind === 'response' ? (demandedDelayMs(result.response.status, result.rateLimit) ?? 0) : 0;
  if (demandedMs >= remainingMs) return 'final';
  if (!budget.take()) return 'budget-spent';
  return { waitMs: demandedMs + Math.min(backoffMs(attempts - 1, retry, random), (remainingMs - demandedMs) / 2) };
}

/**
 * The wait before retry number `retry`, from 0, in milliseconds: anything from 0 up to `min(capMs, baseMs * 2^retry)`.
 * Full jitter: with half of it, clients that failed together would still return together.
 */
export function backoffMs(
  retry: number,
  { baseMs, capMs }: Pick<RetrySettings, 'baseMs' | 'capMs'>,
  random: () => number,
): number {
  return random() * Math.min(capMs, baseMs * 2 ** retry);
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

/** Whether the next attempt may have another result. Status 501 is permanent: the platform lacks the operation. */
export function isTransient(result: AttemptResult): boolean {
  if (result.kind === 'fault') return transientCodes.has(errorCode(result.thrown));
  if (result.kind === 'blocked') return false;
  const { status } = result.response;
  return status === 408 || status === 429 || (status >= 500 && status <= 599 && status !== 501);
}

/** The retries that a client may make over all its calls. */
export interface RetryBudget {
  /** Takes one retry out; false when there is none. */
  readonly take: () => boolean;
  /** Adds the share of one call that got a final response. */
  readonly refill: () => void;
}

/**
 * A token bucket that starts full. Only final responses refill it, and a successful retry adds no more than any other:
 * against a dead platform N calls become at most N + `retries` requests, and against one that fails half of the time the
 * retries stay under `ratio` of the calls once the bucket is empty.
 */
export function createRetryBudget({ retries, ratio }: RetrySettings['budget']): RetryBudget {
  // Counted in thousandths, since ten times 0.1 is not 1.
  const full = retries * 1000;
  const share = Math.round(ratio * 1000);
  let left = full;
  return {
    take: () => {
      if (left < 1000) return false;
      left -= 1000;
      return true;
    },
    refill: () => {
      left = Math.min(full, left + share);
    },
  };
}
