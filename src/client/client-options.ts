import type { Dispatcher } from 'undici';
import { UsageError } from '../errors.js';
import { type BaseUrl, parseBaseUrl } from './base-url.js';
import { checkApiKey } from './header-value.js';
import { type RetryOptions, type RetrySettings, readRetryOptions } from './retry-options.js';
import { longestMs, wholeNumber } from './whole-number.js';

/** What `createClient` takes. Options that it does not know are ignored. */
export interface ClientOptions {
  /** The service's base address, ending in its version, such as `https://app.api-region.example/v3` (§1). */
  readonly baseUrl: string;
  /** The REST api key (§5). It appears in no error and no dump of the client. */
  readonly apiKey: string;
  readonly timeouts?: Timeouts | undefined;
  /** When a request is sent again; `false` for never. */
  readonly retry?: RetryOptions | false | undefined;
  /** Requests under way at a time; further calls wait in line, on their own `timeouts.totalMs`. Default 20. */
  readonly concurrency?: number | undefined;
  /** Sends in place of the client's own pool: a proxy agent, a mock. It must not follow redirects; `close` leaves it open. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Largest answer that is read, in bytes. Default 64 MiB; a larger one is a `ShapeError`. */
  readonly maxResponseBytes?: number | undefined;
  /** Allows plain http to another machine than this one, which shows the key to the network. Default false. */
  readonly allowHttp?: boolean | undefined;
}

/** Deadlines in milliseconds. */
export interface Timeouts {
  /** For one call: all its attempts, the waits between them and for its turn, to the last byte. Default 30,000. */
  readonly totalMs?: number | undefined;
  /** For opening a connection, of the client's own pool. Default 10,000. */
  readonly connectMs?: number | undefined;
  /** Of one attempt, from the request's end to the answer's headers. Default 10,000; fires up to a second late. */
  readonly headersMs?: number | undefined;
  /** Of one attempt, between two pieces of the body. Default 10,000; fires up to a second late. */
  readonly bodyMs?: number | undefined;
}

/** Options after checking. `apiKey` is in here: keep it inside closures. */
export interface Settings {
  readonly base: BaseUrl;
  readonly apiKey: string;
  readonly totalMs: number;
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly maxResponseBytes: number;
  readonly retry: RetrySettings;
  readonly concurrency: number;
}

/** Checks the options of a client. Throws `UsageError`. */
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
    base: parseBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey: checkApiKey(options.apiKey),
    totalMs: wholeNumber('timeouts.totalMs', timeouts.totalMs ?? 30_000, 1, longestMs),
    connectMs: wholeNumber('timeouts.connectMs', timeouts.connectMs ?? 10_000, 1, longestMs),
    headersMs: wholeNumber('timeouts.headersMs', timeouts.headersMs ?? 10_000, 1, longestMs),
    bodyMs: wholeNumber('timeouts.bodyMs', timeouts.bodyMs ?? 10_000, 1, longestMs),
    maxResponseBytes: wholeNumber('maxResponseBytes', options.maxResponseBytes ?? 64 * 1024 * 1024, 1),
    retry: readRetryOptions(options.retry),
    concurrency: wholeNumber('concurrency', options.concurrency ?? 20, 1, 10_000),
  };
}
