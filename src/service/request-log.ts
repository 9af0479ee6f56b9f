import type { MiddlewareHandler } from 'hono';
import type { ServiceEnv } from './app.js';
import { canonicalPath } from './request.js';

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

/** The middleware that reports requests; in front of all others, it sees what they refuse and cut off as well. */
export function logRequests(onRequest: OnRequest): MiddlewareHandler<ServiceEnv> {
  return async ({ env: { incoming, outgoing } }, next) => {
    const startedAt = performance.now();
    outgoing.once('close', () => {
      const { headersSent, statusCode } = outgoing;
      const request = { method: incoming.method ?? '', path: canonicalPath(incoming) };
      onRequest({ ...request, ...(headersSent && { status: statusCode }), tookMs: performance.now() - startedAt });
    });
    await next();
  };
}
