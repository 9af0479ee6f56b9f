import type { IncomingMessage, ServerResponse } from 'node:http';
import { canonicalPath } from './target.js';

/** A request that is over. It has no query, no header and no body, which may hold a text or a key. */
export interface ServedRequest {
  readonly method: string;
  /** Path, percent-encoded, without the query. */
  readonly path: string;
  /** Status of the response; absent when the connection ended before its head was sent. */
  readonly status?: number;
  /** Milliseconds from the end of the request's head to the end of the connection's use for it. */
  readonly tookMs: number;
}

/** Called with each request once it is over. */
export type OnRequest = (request: ServedRequest) => void;

/** Reports a request once it is over. */
export function logRequest(incoming: IncomingMessage, outgoing: ServerResponse, onRequest: OnRequest): void {
  const startedAt = performance.now();
  outgoing.once('close', () => {
    const { headersSent, statusCode } = outgoing;
    // The listener refuses a request without a head of its response, and sets the status alone.
    const isAnswered = headersSent || statusCode !== 200;
    const request = { method: incoming.method ?? '', path: canonicalPath(incoming) };
    onRequest({ ...request, ...(isAnswered && { status: statusCode }), tookMs: performance.now() - startedAt });
  });
}
