/** The server of the service: its limits, and Node's http server in front of the app. */
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import * as z from 'zod';
import { type Listener, type ListenOptions, listen } from '../../foundation/listener/listen.js';
import { endpoints } from '../contract/endpoints.js';
import { checkOption } from '../contract/parse.js';
import type { ServiceEnv } from './app.js';
import { problems } from './errors.js';

const upTo = (max: number, byDefault: number) => {
  const error = `must be a whole number from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error }).default(byDefault);
};
/** Two thirds of an hour at most, which keeps sums inside what a timer holds. */
const milliseconds = (byDefault: number) => upTo(2_400_000, byDefault);

const limitsSchema = z.strictObject(
  {
    /** Request line and headers together; more is 431, and so are more than 200 headers. */
    headBytes: upTo(1024 * 1024, 16 * 1024),
    /** A body; more is 413. */
    bodyBytes: upTo(64 * 1024 * 1024, 1024 * 1024),
    /** From the first byte of a request, or from the opening of a connection, to the end of its head; longer is 408. */
    headMs: milliseconds(10_000),
    /** How much longer a request may take to its end; longer is 408. */
    bodyMs: milliseconds(30_000),
    /** How long a connection is kept for a next request: a client that pauses finds it alive instead of racing with its end. */
    idleMs: milliseconds(30_000),
    /** From when an answer is complete to when its client has taken it; longer ends the connection. */
    sendMs: milliseconds(60_000),
    /** How long requests in flight may take to finish after `close`. */
    closeMs: milliseconds(5_000),
    /** After as many requests a connection ends, with `connection: close` on the last answer. */
    requestsPerConnection: upTo(1_000_000_000, 10_000),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object of limits') },
);

/** What a connection and a request may take of the service: bytes, requests, and milliseconds. */
export type ServiceLimits = Readonly<z.infer<typeof limitsSchema>>;

/** Fills in the defaults. Throws `UsageError` for a limit that is not known, and for one that is no whole number in its range. */
export function readLimits(given: unknown = {}): ServiceLimits {
  return checkOption(limitsSchema, given, 'limits');
}

/** Listens for requests to the app. Throws `UsageError` when the address cannot be had. */
export function serveApp(app: Hono<ServiceEnv>, options: Omit<ListenOptions, 'answer' | 'refuse'>): Promise<Listener> {
  const methods = [...new Set(Object.values(endpoints).map(({ method }) => method)), 'HEAD', 'OPTIONS'];
  return listen({
    ...options,
    answer: getRequestListener(app.fetch, {
      hostname: 'localhost',
      // The library must not put other classes in the place of the process's own `Request` and `Response`.
      overrideGlobalObjects: false,
      errorHandler: (error) =>
        (error instanceof RequestError ? problems.malformed('target') : problems.ourFault()).response,
    }),
    refuse: (status, words) =>
      (status === 405 ? problems.wrongMethod('CONNECT', methods) : problems.refused(status, words)).response,
  });
}
