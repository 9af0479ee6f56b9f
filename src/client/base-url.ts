import { UsageError } from '../errors.js';

/** The one origin that a client talks to, and the path its operations stand below, such as `/v3`. */
export interface BaseUrl {
  readonly origin: string;
  /** Empty, or starts with a slash and does not end with one. */
  readonly prefix: string;
}

/**
 * Reads the base address (§1, §9). Throws `UsageError` when it is no plain http(s) address, or when it would send the
 * key in the clear to another machine. The error does not quote the address, since people paste credentials into it.
 */
export function parseBaseUrl(baseUrl: unknown, allowHttp: boolean): BaseUrl {
  const url = typeof baseUrl === 'string' ? parseOrNull(baseUrl) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
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

function parseOrNull(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** `hostname` is as the URL parser writes it: `2130706433` and `127.1` have become `127.0.0.1` already. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
