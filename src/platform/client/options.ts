import type { Dispatcher } from 'undici';
import { type AdviceCode, UsageError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/unknown-options.js';
import { longestTimerMs, type NumberOptions, readNumbers, validHeader } from './validate.js';

/** The options of `createClient`. An unknown one is a `UsageError`, here and in every object below. */
export interface ClientOptions {
  /** The service's base address, ending in its version, such as `https://app.api-region.example/v3` (§1). */
  readonly baseUrl: string;
  /** The REST api key (§5). It appears in no error and no dump of the client. */
  readonly apiKey: string;
  readonly timeouts?: Timeouts | undefined;
  /** When a request is sent again; `false` for never. */
  readonly retry?: RetryOptions | false | undefined;
  /** Requests in flight at a time; further calls wait, within their own `timeouts.totalMs`. Default 20. */
  readonly concurrency?: number | undefined;
  /** Sends in place of the client's own pool: a proxy agent, a mock. It must not follow redirects; `close` leaves it open. */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * Largest page, rule or keyword list that is read, in bytes; every other response has at most 1 MiB of it. A larger one is
   * a `ShapeError`. Default 16 MiB: a thousand messages of 10 kB fit, and half a million keywords of 30 bytes.
   */
  readonly maxResponseBytes?: number | undefined;
  /** Allows plain http to another machine than this one, which shows the key to the network. Default false. */
  readonly allowHttp?: boolean | undefined;
}

/** Time limits in milliseconds. */
export interface Timeouts {
  /** The time of one call: all its attempts and all waits, to the last byte. Default 30,000. */
  readonly totalMs?: number | undefined;
  /** The time to open a connection of the client's own pool. Default 10,000. */
  readonly connectMs?: number | undefined;
  /** The time of one attempt from the end of the request to the headers of the response. Default 10,000; up to a second late. */
  readonly headersMs?: number | undefined;
  /** The time of one attempt between two pieces of the body. Default 10,000; up to a second late. */
  readonly bodyMs?: number | undefined;
}

/**
 * When a request is sent again: only for operations that do the same when done twice (reads and read markers, never
 * tags), and only after a broken connection, a time-out of one attempt, or status 408, 429 or 5xx other than 501.
 */
export interface RetryOptions {
  /** Attempts of one call, the first among them. Default 3, at most 10; 1 means no retry. */
  readonly attempts?: number | undefined;
  /** Retry number i, from 0, comes after a random wait of up to `min(capMs, baseMs * 2^i)`. Default 1,000. */
  readonly baseMs?: number | undefined;
  /** Longest random wait. A `Retry-After` is added to it. Default 20,000. */
  readonly capMs?: number | undefined;
  /**
   * Longest delay that a response is believed to demand, by `Retry-After` or by a rate limit's reset: for a retry, and for
   * the pause of all calls of the client. Default 300,000, five minutes; then the platform may state it again.
   */
  readonly maxWaitMs?: number | undefined;
  /** Retries that all calls of the client together may make before responses earn new ones. Default 20. */
  readonly budget?: number | undefined;
  /** Part of a retry that each answered call earns, up to `budget`: from 0 to 1. Default 0.1. */
  readonly budgetRatio?: number | undefined;
}

/** Every option with its value: `undefined` is replaced by the default. */
type Complete<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** The options after validation. `apiKey` is among them: keep them inside closures. */
export interface Settings extends Complete<Timeouts> {
  /** `prefix` is empty, or starts with a slash and does not end with one. */
  readonly base: { readonly origin: string; readonly prefix: string };
  readonly apiKey: string;
  readonly concurrency: number;
  readonly maxResponseBytes: number;
  readonly retry: Complete<RetryOptions>;
}

/** Default, least and largest value of the options that are whole numbers. */
const timeouts = {
  totalMs: [30_000, 1, longestTimerMs],
  connectMs: [10_000, 1, longestTimerMs],
  headersMs: [10_000, 1, longestTimerMs],
  bodyMs: [10_000, 1, longestTimerMs],
} satisfies NumberOptions;

const retries = {
  attempts: [3, 1, 10],
  baseMs: [1000, 0, longestTimerMs],
  capMs: [20_000, 0, longestTimerMs],
  maxWaitMs: [300_000, 1, longestTimerMs],
  budget: [20, 0, 1_000_000],
} satisfies NumberOptions;

const sizes = {
  concurrency: [20, 1, 10_000],
  maxResponseBytes: [16 * 1024 * 1024, 1, Number.MAX_SAFE_INTEGER],
} satisfies NumberOptions;

const others = ['baseUrl', 'apiKey', 'timeouts', 'retry', 'dispatcher', 'allowHttp'];

/** Validates the options of a client. Throws `UsageError`. */
export function readClientOptions(options: ClientOptions): Settings {
  refuseUnknownOptions('`createClient`', options, [...others, ...Object.keys(sizes)]);
  if (options.dispatcher !== undefined && typeof options.dispatcher.request !== 'function') {
    throw new UsageError('`dispatcher` must be an undici dispatcher, such as an `Agent`');
  }
  return {
    base: readBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey: validHeader(
      { option: 'apiKey' },
      options.apiKey,
      'is missing: pass the REST api key of the app as a string',
    ),
    ...readNumbers('', options, sizes),
    ...readTimeouts(options.timeouts),
    retry: readRetryOptions(options.retry),
  };
}

function readTimeouts(given: Timeouts = {}): Complete<Timeouts> {
  refuseUnknownOptions('`timeouts`', given, Object.keys(timeouts));
  return readNumbers('timeouts.', given, timeouts);
}

/** Validates `retry`; `false` is one attempt. Throws `UsageError`. */
export function readRetryOptions(retry: RetryOptions | false = {}): Settings['retry'] {
  const options: RetryOptions = retry === false ? { attempts: 1 } : retry;
  refuseUnknownOptions('`retry`', options, [...Object.keys(retries), 'budgetRatio']);
  const numbers = readNumbers('retry.', options, retries);
  const { budgetRatio = 0.1 } = options;
  if (typeof budgetRatio === 'number' && budgetRatio >= 0 && budgetRatio <= 1) return { ...numbers, budgetRatio };
  throw new UsageError('`retry.budgetRatio` must be a number from 0 to 1');
}

/**
 * Reads the base address (§1, §9). Throws `UsageError` unless it is a plain http(s) address, or when it would send the
 * key in the clear to another machine. The error does not quote the address, since it may contain credentials.
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

/** `hostname` is in the URL parser's spelling: `2130706433` and `127.1` are `127.0.0.1` already. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
