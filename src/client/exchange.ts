import type { Dispatcher } from 'undici';
import { ShapeError } from '../errors.js';
import { unlessAborted } from './pause.js';

/** A request, ready for the wire. */
export interface WireRequest {
  /** Method and path template, for errors. */
  readonly operation: string;
  /** The path template alone. */
  readonly template: string;
  /** Whether sending it twice does what sending it once does. */
  readonly repeatable: boolean;
  readonly origin: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** An answer that has come to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/** What holds for every exchange of a client. */
export interface ExchangeLimits {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly maxResponseBytes: number;
}

/** A failure's body is read for its code alone. */
const maxFailureBytes = 64 * 1024;

/**
 * Sends one request and buffers the whole answer. Follows no redirect. Rejects with whatever the dispatcher rejects
 * with, or with `ShapeError` for a 200 that is larger than the cap; a failure's body beyond its own cap is left unread.
 */
export async function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<Answer> {
  const { origin, method, path, headers, body } = request;
  const { headersMs: headersTimeout, bodyMs: bodyTimeout } = limits;
  const options = { origin, method, path, headers, body: body ?? null, headersTimeout, bodyTimeout, signal };
  const response = await answered(dispatcher.request(options), signal);
  const { statusCode: status } = response;
  const max = status === 200 ? limits.maxResponseBytes : Math.min(maxFailureBytes, limits.maxResponseBytes);
  const reading = readUpTo(response.body, Number(response.headers['content-length']), max);
  const bytes = await unlessAborted(signal, reading).catch((error: unknown) => {
    discard(response);
    // A failure whose body breaks off is still that failure; a call that was ended is not.
    if (status === 200 || signal.aborted) throw isCutShort(error, response) ? brokenOff() : error;
    return undefined;
  });
  if (bytes === undefined && status === 200) {
    throw new ShapeError(request.operation, 'the whole value', `is larger than ${max} bytes, see \`maxResponseBytes\``);
  }
  return { status, headers: response.headers, body: bytes ?? new Uint8Array() };
}

/**
 * The head of an answer, or the signal's reason as soon as that aborts: measured, undici settles an aborted request that
 * waits for its connection only when that opens or fails, ten seconds later by default. An answer that comes all the
 * same is left unread.
 */
function answered(response: Promise<Dispatcher.ResponseData>, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  return unlessAborted(signal, response).catch((error: unknown) => {
    response.then(discard, () => {});
    throw error;
  });
}

/**
 * Whether a body broke off on a connection that was to end with it: measured, undici calls that a mismatch of lengths,
 * as it does two lengths that differ, and `UND_ERR_SOCKET` everywhere else.
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
  // Destroying a body that has not ended emits an error, which would end the process if nobody listened.
  body.on('error', () => {}).destroy();
}

/** The whole body, or `undefined` when it is larger than `max`; what is left is not read then. */
async function readUpTo(
  body: Dispatcher.ResponseData['body'],
  length: number,
  max: number,
): Promise<Uint8Array | undefined> {
  // Destroying a body that has not ended emits an error, which would end the process if nobody listened.
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
  return joined(chunks, size);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
