import { Agent, type Dispatcher } from 'undici';
import { unlessAborted } from './deadline.js';
import type { ResponseHeaders } from './rate-limit.js';

/** The dispatchers of requests; both are the same where a dispatcher was injected. */
export interface Dispatchers {
  /** Keeps connections open. */
  readonly pooled: Dispatcher;
  /** Opens a connection for each request: after a fault, the other kept connections may be dead as well. */
  readonly fresh: Dispatcher;
  /** Closes the client's own connections; an injected dispatcher stays open. */
  readonly close: () => Promise<void>;
}

/** Opens the pools of a client, or uses the injected dispatcher. */
export function openDispatchers(injected: Dispatcher | undefined, connectMs: number): Dispatchers {
  if (injected !== undefined) return { pooled: injected, fresh: injected, close: async () => {} };
  const connect = { timeout: connectMs };
  const pooled = new Agent({ connect });
  const fresh = new Agent({ connect, pipelining: 0 });
  // `destroy`, since `close` would wait for a connection that an ended call had requested.
  return { pooled, fresh, close: async () => void (await Promise.all([pooled.destroy(), fresh.destroy()])) };
}

/** A request, ready for the wire. */
export interface WireRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly origin: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The most bytes that are read of a 200. */
  readonly maxBytes: number;
}

/** A response whose body has been read; `undefined` where it is larger than was to be read. */
export interface WireResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array | undefined;
  /** How many bytes were read at most. */
  readonly maxBytes: number;
}

/** Time limits of one exchange, in milliseconds. */
export interface PhaseLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
}

/** The most bytes of the body of a failure, of which only the error code is used. */
const maxFailureBytes = 64 * 1024;

/**
 * Sends one request and buffers the whole response; a body beyond its limit is left unread. Follows no redirect. Rejects
 * with whatever the dispatcher rejects with.
 */
export async function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  { headersMs: headersTimeout, bodyMs: bodyTimeout }: PhaseLimits,
  signal: AbortSignal,
): Promise<WireResponse> {
  const { origin, method, path, headers, body, maxBytes } = request;
  const options = { origin, method, path, headers, body, headersTimeout, bodyTimeout, signal };
  const response = await headOf(dispatcher.request(options), signal);
  const { statusCode: status } = response;
  const max = status === 200 ? maxBytes : Math.min(maxFailureBytes, maxBytes);
  const reading = readUpTo(response.body, Number(response.headers['content-length']), max);
  const bytes = await unlessAborted(signal, reading).catch((error: unknown) => {
    discard(response);
    // A failure whose body breaks off keeps its status; an ended call rejects.
    if (status === 200 || signal.aborted) throw isCutShort(error, response) ? brokenOff() : error;
    return undefined;
  });
  return { status, headers: response.headers, body: bytes, maxBytes: max };
}

/**
 * The head of a response, or the signal's reason as soon as that aborts: measured, undici settles an aborted request that
 * waits for its connection only when that opens or fails, ten seconds later by default. A response that arrives after all
 * is left unread.
 */
function headOf(response: Promise<Dispatcher.ResponseData>, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  return unlessAborted(signal, response).catch((error: unknown) => {
    response.then(discard, () => {});
    throw error;
  });
}

/**
 * Whether a body broke off on a connection that was to end with it: measured, undici reports that as a mismatch of
 * lengths, as it does two lengths that differ, and as `UND_ERR_SOCKET` everywhere else.
 */
function isCutShort(error: unknown, { headers }: Dispatcher.ResponseData): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const length = headers['content-length'];
  const isPlain = typeof length === 'string' && /^\d{1,15}$/.test(length) && headers['transfer-encoding'] === undefined;
  return code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && isPlain;
}

function brokenOff(): Error {
  return Object.assign(new Error('the connection ended before the body did'), { code: 'UND_ERR_SOCKET' });
}

function discard({ body }: Dispatcher.ResponseData): void {
  // Destroying a body that has not ended emits an error, which would end the process without a listener.
  body.on('error', () => {}).destroy();
}

/** The whole body, or `undefined` when it is larger than `max`; the rest is then left unread. */
async function readUpTo(
  body: Dispatcher.ResponseData['body'],
  length: number,
  max: number,
): Promise<Uint8Array | undefined> {
  // Leaving the loop below destroys the body.
  body.on('error', () => {});
  if (length > max) {
    body.destroy();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > max) return undefined;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}
