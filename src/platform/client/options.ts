/** The options of `createClient`, and their checks. */
import type { Dispatcher } from 'undici';
import { type AdviceCode, UsageError } from '../../foundation/errors.js';
import {
  type Complete,
  checkOptions,
  isShare,
  longestTimerMs,
  type OptionChecks,
  timerMs,
  validHeader,
  wholeNumber,
  withDefaults,
} from '../../foundation/options.js';
import { isLoopback } from '../../foundation/requests/loopback.js';

/**
 * The options of `createClient`. An unknown one is a `UsageError`, here and in every object below.
 */
export interface ClientOptions {
  /**
   * The service's base address, ending in its version, such as `https://app.api-region.example/v3`
   * (§1).
   */
  readonly baseUrl: string;
  /** The REST api key (§5). It appears in no error and no dump of the client. */
  readonly apiKey: string;
  readonly timeouts?: Timeouts | undefined;
  /** When a request is sent again; `false` for never. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Requests in flight at a time; further calls wait, within their own `timeouts.totalMs`. Default
   * 20.
   */
  readonly concurrency?: number | undefined;
  /**
   * The dispatcher that replaces the client's own pool, such as a proxy agent or a mock. It must
   * not follow redirects; `close` leaves it open.
   */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * Largest response that is read, in bytes; a larger one is a `ShapeError`. Default 16 MiB: a
   * thousand messages of 10 kB fit, and half a million keywords of 30 bytes.
   */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Allows plain http to another machine than this one, which shows the key to the network. Default
   * false.
   */
  readonly allowHttp?: boolean | undefined;
}

/** Time limits in milliseconds. */
export interface Timeouts {
  /** The time of one call: all its attempts and all waits, to the last byte. Default 30,000. */
  readonly totalMs?: number | undefined;
  /** The time to open a connection of the client's own pool. Default 10,000. */
  readonly connectMs?: number | undefined;
  /**
   * The time of one attempt from the end of the request to the headers of the response. Default
   * 10,000; up to a second late.
   */
  readonly headersMs?: number | undefined;
  /**
   * The time of one attempt between two pieces of the body. Default 10,000; up to a second late.
   */
  readonly bodyMs?: number | undefined;
}

/**
 * When a request is sent again: only for operations that do the same when done twice (reads and
 * read markers, never tags), and only after a broken connection, a time-out of one attempt, or
 * status 408, 429 or 5xx other than 501.
 */
export interface RetryOptions {
  /** Attempts of one call, the first among them. Default 3, at most 10; 1 means no retry. */
  readonly attempts?: number | undefined;
  /**
   * Retry number i, from 0, comes after a random wait of up to `min(capMs, baseMs * 2^i)`. Default
   * 1,000.
   */
  readonly baseMs?: number | undefined;
  /** Longest random wait. A `Retry-After` is added to it. Default 20,000. */
  readonly capMs?: number | undefined;
  /**
   * Longest `Retry-After` that is obeyed: before a retry, and as a pause of all calls of the
   * client. Default 300,000, five minutes; then the platform may state it again.
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * Retries that all calls of the client together may make before responses earn new ones. Default
   * 20.
   */
  readonly budget?: number | undefined;
  /**
   * Fraction of a retry that each answered call earns, up to `budget`: from 0 to 1. Default 0.1.
   */
  readonly budgetRatio?: number | undefined;
}

/** The options after validation. They include `apiKey`, so they stay inside closures. */
export interface Settings extends Complete<Timeouts> {
  /** `prefix` is empty, or starts with a slash and does not end with one. */
  readonly base: { readonly origin: string; readonly prefix: string };
  readonly apiKey: string;
  readonly concurrency: number;
  readonly maxResponseBytes: number;
  readonly retry: Complete<RetryOptions>;
}

const defaults: Pick<Complete<ClientOptions>, 'concurrency' | 'maxResponseBytes'> = {
  concurrency: 20,
  maxResponseBytes: 16 * 1024 * 1024,
};
const defaultTimeouts: Complete<Timeouts> = { totalMs: 30_000, connectMs: 10_000, headersMs: 10_000, bodyMs: 10_000 };
const defaultRetry: Complete<RetryOptions> = {
  attempts: 3,
  baseMs: 1000,
  capMs: 20_000,
  maxWaitMs: 300_000,
  budget: 20,
  budgetRatio: 0.1,
};

const checks: OptionChecks<ClientOptions> = {
  baseUrl: undefined,
  apiKey: undefined,
  timeouts: undefined,
  retry: undefined,
  concurrency: wholeNumber(1, 10_000),
  dispatcher: [(given: Dispatcher) => typeof given?.request === 'function', 'an undici dispatcher, such as an `Agent`'],
  maxResponseBytes: wholeNumber(1),
  allowHttp: undefined,
};
const timeoutChecks: OptionChecks<Timeouts> = {
  totalMs: timerMs,
  connectMs: timerMs,
  headersMs: timerMs,
  bodyMs: timerMs,
};
const retryChecks: OptionChecks<RetryOptions> = {
  attempts: wholeNumber(1, 10),
  baseMs: wholeNumber(0, longestTimerMs),
  capMs: wholeNumber(0, longestTimerMs),
  maxWaitMs: timerMs,
  budget: wholeNumber(0, 1_000_000),
  budgetRatio: [isShare, 'a number from 0 to 1'],
};

/** Validates the options of a client. Throws `UsageError`. */
export function readClientOptions(options: ClientOptions): Settings {
  checkOptions('`createClient`', options, checks);
  const { timeouts = {}, retry = {} } = options;
  checkOptions('`timeouts`', timeouts, timeoutChecks, 'timeouts.');
  const givenRetry: RetryOptions = retry === false ? { attempts: 1 } : retry;
  checkOptions('`retry`', givenRetry, retryChecks, 'retry.');
  const missing = 'is missing: pass the REST api key of the app as a string';
  return {
    base: readBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey: validHeader({ option: 'apiKey' }, options.apiKey, missing),
    ...withDefaults(defaults, options),
    ...withDefaults(defaultTimeouts, timeouts),
    retry: withDefaults(defaultRetry, givenRetry),
  };
}

/**
 * Reads the base address (§1, §9). Throws `UsageError` unless it is a plain http(s) address, and if
 * the key would be sent unencrypted to another machine. The error does not quote the address, since
 * it may contain credentials.
 */
function readBaseUrl(baseUrl: unknown, allowHttp: boolean): Settings['base'] {
  const wrong = (fact: string, advice?: AdviceCode) => new UsageError({ option: 'baseUrl', fact, advice });
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw wrong('must be an http or https address, such as `https://app.api-region.example/v3`');
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong('holds credentials', 'key-apart');
  }
  if (/[?#]/.test(String(baseUrl))) {
    throw wrong('holds a query or a fragment: end it with the path, such as `/v3`');
  }
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw wrong('is plain http to another machine, which shows the key to the network', 'allow-http');
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}
