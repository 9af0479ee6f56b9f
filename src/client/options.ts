import type { Dispatcher } from 'undici';
import { UsageError } from '../errors.js';
import type { Target } from './request.js';
import { type RetryOptions, type RetrySettings, readRetryOptions } from './retry.js';
import type { ExchangeLimits } from './transport.js';
import { longestTimerMs, validHeader, wholeNumber } from './validate.js';

/** The options of `createClient`. Unknown options are ignored. */
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
  /** Largest response that is read, in bytes. Default 64 MiB; a larger one is a `ShapeError`. */
  readonly maxResponseBytes?: number | undefined;
  /** Allows plain http to another machine than this one, which shows the key to the network. Default false. */
  readonly allowHttp?: boolean | undefined;
}

/** Time limits in milliseconds. */
export interface Timeouts {
  /** Of one call: all its attempts and all waits, to the last byte. Default 30,000. */
  readonly totalMs?: number | undefined;
  /** Of opening a connection of the client's own pool. Default 10,000. */
  readonly connectMs?: number | undefined;
  /** Of one attempt, from the end of the request to the headers of the response. Default 10,000; up to a second late. */
  readonly headersMs?: number | undefined;
  /** Of one attempt, between two pieces of the body. Default 10,000; up to a second late. */
  readonly bodyMs?: number | undefined;
}

/** The options after validation. `apiKey` is among them: keep them inside closures. */
export interface Settings extends Target, ExchangeLimits {
  readonly totalMs: number;
  readonly connectMs: number;
  readonly retry: RetrySettings;
  readonly concurrency: number;
}

/** Validates the options of a client. Throws `UsageError`. */
export function readClientOptions(options: ClientOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError('`createClient` needs `{ baseUrl, apiKey }`');
  }
  if (options.dispatcher !== undefined && typeof options.dispatcher.request !== 'function') {
    throw new UsageError('`dispatcher` should be an undici dispatcher, such as an `Agent`');
  }
  const { timeouts = {} } = options;
  if (typeof timeouts !== 'object' || timeouts === null) {
    throw new UsageError('`timeouts` should be an object such as `{ totalMs: 30_000 }`');
  }
  return {
    base: readBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey: validHeader(
      '`apiKey`',
      options.apiKey,
      '`apiKey` is missing: pass the REST api key of the app as a string',
    ),
    totalMs: wholeNumber('timeouts.totalMs', timeouts.totalMs ?? 30_000, 1, longestTimerMs),
    connectMs: wholeNumber('timeouts.connectMs', timeouts.connectMs ?? 10_000, 1, longestTimerMs),
    headersMs: wholeNumber('timeouts.headersMs', timeouts.headersMs ?? 10_000, 1, longestTimerMs),
    bodyMs: wholeNumber('timeouts.bodyMs', timeouts.bodyMs ?? 10_000, 1, longestTimerMs),
    maxResponseBytes: wholeNumber('maxResponseBytes', options.maxResponseBytes ?? 64 * 1024 * 1024, 1),
    retry: readRetryOptions(options.retry),
    concurrency: wholeNumber('concurrency', options.concurrency ?? 20, 1, 10_000),
  };
}

/**
 * Reads the base address (§1, §9). Throws `UsageError` when it is no plain http(s) address, or when it would send the
 * key in the clear to another machine. The error does not quote the address, since it may contain credentials.
 */
function readBaseUrl(baseUrl: unknown, allowHttp: boolean): Target['base'] {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError('`baseUrl` should be an http or https address, such as `https://app.api-region.example/v3`');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('`baseUrl` holds credentials: leave them out and pass the key as `apiKey`');
  }
  if (/[?#]/.test(String(baseUrl))) {
    throw new UsageError('`baseUrl` holds a query or a fragment: end it with the path, such as `/v3`');
  }
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new UsageError(
      '`baseUrl` is plain http to another machine, which shows the key to the network: use https, or set `allowHttp: true`',
    );
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** `hostname` is in the URL parser's spelling: `2130706433` and `127.1` are `127.0.0.1` already. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
