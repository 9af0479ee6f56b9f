/** The listening socket: Node's http server under limits, and its graceful end. */
import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import * as z from 'zod';
import { endpoints } from '../contract/endpoints.js';
import { checkOption } from '../contract/parse.js';
import { UsageError } from '../errors.js';
import type { ServiceEnv } from './app.js';
import { answerInTurn } from './connections.js';
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

/**
 * Listens with Node's http server, which answers by itself what is no HTTP, too large a head (431) or too slow a request (408).
 * Requests need no `host`: nothing here is told apart by it. Throws `UsageError` when the address cannot be had.
 */
export async function listen(
  app: Hono<ServiceEnv>,
  { host, port, limits }: { readonly host: string; readonly port: number; readonly limits: ServiceLimits },
) {
  const server = createServer({
    keepAliveTimeout: limits.idleMs,
    headersTimeout: limits.headMs,
    requestTimeout: limits.headMs + limits.bodyMs,
    connectionsCheckingInterval: Math.min(500, Math.max(20, limits.headMs >> 2)),
    maxHeaderSize: limits.headBytes,
    requireHostHeader: false,
  });
  // The limit in bytes is the one that counts: Node drops headers beyond a number without a word.
  server.maxHeadersCount = 0;
  const connections = answerInTurn(server, {
    answer: getRequestListener(app.fetch, {
      hostname: 'localhost',
      // The library must not put other classes in the place of the process's own `Request` and `Response`.
      overrideGlobalObjects: false,
      errorHandler: (error) =>
        (error instanceof RequestError ? problems.malformed('target') : problems.ourFault()).response,
    }),
    refuseConnect: refusedConnect,
    requestsPerConnection: limits.requestsPerConnection,
    sendMs: limits.sendMs,
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason = reasons[cause.code ?? ''] ?? cause.code ?? 'unknown reason';
    throw new UsageError(`cannot listen on \`${host}\` port ${port}: ${reason}`, { cause });
  });
  // A connection that cannot be accepted, as with too many open files, costs itself and not the service.
  server.on('error', () => {});
  /** Stops listening, lets requests in flight finish, drops idle connections; resolves when the last one is gone. */
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      const deadline = setTimeout(connections.destroy, limits.closeMs);
      server.close(() => {
        clearTimeout(deadline);
        resolve();
      });
      connections.end();
    });
  return { address: server.address() as AddressInfo, close };
}

/** What CONNECT gets, which reaches no app: the methods that there are, and the end of the connection. */
async function refusedConnect(): Promise<string> {
  const methods = [...new Set(Object.values(endpoints).map(({ method }) => method)), 'HEAD', 'OPTIONS'];
  const { response } = problems.wrongMethod('CONNECT', methods);
  const headers = [...response.headers, ['date', new Date().toUTCString()], ['connection', 'close']];
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    ...headers.map((one) => one.join(': ')),
  ];
  return `${head.join('\r\n')}\r\n\r\n${await response.text()}`;
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use, choose another port or 0 for any free one',
  EACCES: 'this user may not use it, choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
};
