import { UsageError } from '../errors.js';
import { longestMs, wholeNumber } from './whole-number.js';

/**
 * When a request is sent again. That happens only for operations that do the same when done twice (reads and read
 * markers, never tags), and only after a broken connection, a time-out of one attempt, or status 408, 429 or 5xx other
 * than 501.
 */
export interface RetryOptions {
  /** Attempts of one call, the first among them. Default 3, at most 10; 1 is no retry. */
  readonly attempts?: number | undefined;
  /** Retry number i, from 0, comes after a random wait of up to `min(capMs, baseMs * 2^i)`. Default 1,000. */
  readonly baseMs?: number | undefined;
  /** Longest random wait. What `Retry-After` asks for comes on top of it. Default 20,000. */
  readonly capMs?: number | undefined;
  /** Retries that all calls of the client together may make before answers earn new ones. Default 20. */
  readonly budget?: number | undefined;
  /** Part of a retry that each answered call earns, up to `budget`: from 0 to 1. Default 0.1. */
  readonly budgetRatio?: number | undefined;
}

/** Options after checking. */
export interface RetrySettings {
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  readonly budget: { readonly retries: number; readonly ratio: number };
}

/** Checks `retry`; `false` is one attempt. Throws `UsageError`. */
export function readRetryOptions(retry: unknown): RetrySettings {
  if (retry !== undefined && retry !== false && (typeof retry !== 'object' || retry === null)) {
    throw new UsageError('`retry` should be `false`, or an object such as `{ attempts: 3 }`');
  }
  const options: RetryOptions = retry === false ? { attempts: 1 } : (retry ?? {});
  return {
    attempts: wholeNumber('retry.attempts', options.attempts ?? 3, 1, 10),
    baseMs: wholeNumber('retry.baseMs', options.baseMs ?? 1000, 0, longestMs),
    capMs: wholeNumber('retry.capMs', options.capMs ?? 20_000, 0, longestMs),
    budget: {
      retries: wholeNumber('retry.budget', options.budget ?? 20, 0, 1_000_000),
      ratio: part('retry.budgetRatio', options.budgetRatio ?? 0.1),
    },
  };
}

function part(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw new UsageError(`\`${name}\` should be a number from 0 to 1`);
}
