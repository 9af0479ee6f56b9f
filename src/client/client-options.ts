import type { Dispatcher } from 'undici';
import { UsageError } from '../errors.js';
import { type BaseUrl, parseBaseUrl } from './base-url.js';
import { checkApiKey } from './header-value.js';

/** What `createClient` takes. Options that it does not know are ignored. */
export interface ClientOptions {
  /** The service's base address, ending in its version, such as `https://app.api-region.example/v3` (§1). */
  readonly baseUrl: string;
  /** The REST api key (§5). It appears in no error and no dump of the client. */
  readonly apiKey: string;
  readonly timeouts?: Timeouts | undefined;
  /** Sends in place of the client's own pool: a proxy agent, a mock. It must not follow redirects; `close` leaves it open. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Largest answer that is read, in bytes. Default 64 MiB; a larger one is a `ShapeError`. */
  readonly maxResponseBytes?: number | undefined;
  /** Allows plain http to another machine than this one, which shows the key to the network. Default false. */
  readonly allowHttp?: boolean | undefined;
}

/** Deadlines in milliseconds. */
export interface Timeouts {
  /** For one call, from sending to the last byte. Default 30,000. */
  readonly totalMs?: number | undefined;
  /** For opening a connection, of the client's own pool. Default 10,000. */
  readonly connectMs?: number | undefined;
  /** From the request's end to the answer's headers. No default: `totalMs` holds. Coarse, to about half a second. */
  readonly headersMs?: number | undefined;
  /** Between two pieces of the body. No default: `totalMs` holds. Coarse, to about half a second. */
  readonly bodyMs?: number | undefined;
}

/** Options after checking. `apiKey` is in here: keep it inside closures. */
export interface Settings {
  readonly base: BaseUrl;
  readonly apiKey: string;
  readonly totalMs: number;
  readonly connectMs: number;
  /** 0 is none, as undici counts. */
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly maxResponseBytes: number;
}

/** Longest wait that a Node timer can hold; longer ones fire at once. */
const longestMs = 2_147_483_647;

/** Checks the options of a client. Throws `UsageError`. */
export function readClientOptions(options: ClientOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw new UsageError('`createClient` needs `{ baseUrl, apiKey }`');
  }
  if (options.dispatcher !== undefined && typeof options.dispatcher.request !== 'function') {
    throw new UsageError('`dispatcher` should be an undici dispatcher, such as an `Agent`');
  }
  const timeouts = options.timeouts ?? {};
  return {
    base: parseBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey: checkApiKey(options.apiKey),
    totalMs: wholeNumber('timeouts.totalMs', timeouts.totalMs ?? 30_000, longestMs),
    connectMs: wholeNumber('timeouts.connectMs', timeouts.connectMs ?? 10_000, longestMs),
    headersMs: timeouts.headersMs === undefined ? 0 : wholeNumber('timeouts.headersMs', timeouts.headersMs, longestMs),
    bodyMs: timeouts.bodyMs === undefined ? 0 : wholeNumber('timeouts.bodyMs', timeouts.bodyMs, longestMs),
    maxResponseBytes: wholeNumber('maxResponseBytes', options.maxResponseBytes ?? 64 * 1024 * 1024),
  };
}

function wholeNumber(name: string, value: unknown, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw new UsageError(`\`${name}\` should be a whole number from 1 to ${max}`);
}
