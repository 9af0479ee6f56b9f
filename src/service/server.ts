/** The listening socket: Node's http server under limits, and its graceful end. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import * as z from 'zod';
import { checkOption } from '../contract/parse.js';
import { UsageError } from '../errors.js';
import type { ServiceEnv } from './app.js';
import { problems } from './errors.js';

const upTo = (max: number, byDefault: number) => {
  const error = `should be a whole number from 1 to ${max}`;
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
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'should be an object of limits') },
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
  const endConnections = answerRequests(server, app, limits);
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
      const deadline = setTimeout(() => server.closeAllConnections(), limits.closeMs);
      server.close(() => {
        clearTimeout(deadline);
        resolve();
      });
      endConnections();
    });
  return { address: server.address() as AddressInfo, close };
}

/**
 * Hands requests to the app and counts them by connection: Node takes a connection that never sent a byte for busy, and keeps
 * one alive after the last request that it may carry. Gives back what ends connections: each with the last answer that it carries,
 * idle ones at once.
 */
function answerRequests(server: Server, app: Hono<ServiceEnv>, limits: ServiceLimits): () => void {
  const answer = getRequestListener(app.fetch, {
    hostname: 'localhost',
    // The library must not put other classes in the place of the process's own `Request` and `Response`.
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      (error instanceof RequestError ? problems.malformed('target') : problems.ourFault()).response,
  });
  /** How many requests each has carried, and what it answers now. */
  const connections = new Map<Socket, { requests: number; readonly open: Set<ServerResponse> }>();
  let isEnding = false;

  server.on('connection', (socket) => {
    connections.set(socket, { requests: 0, open: new Set() });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Node reports a write to a connection that is gone here too; without a listener that would end the process.
    outgoing.on('error', () => {});
    const connection = connections.get(incoming.socket);
    if (connection === undefined) return;
    connection.requests += 1;
    connection.open.add(outgoing);
    outgoing.once('close', () => {
      connection.open.delete(outgoing);
      if (isEnding && connection.open.size === 0) incoming.socket.destroySoon();
    });
    if (isEnding || connection.requests >= limits.requestsPerConnection) outgoing.setHeader('connection', 'close');
    answer(incoming, outgoing).then(
      () => limitSending(outgoing, limits.sendMs),
      () => outgoing.destroy(),
    );
  });
  return () => {
    isEnding = true;
    for (const [socket, { open }] of connections) {
      if (open.size === 0) socket.destroy();
      for (const outgoing of open) if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
    }
  };
}

/** Ends an answer that its client does not take in time. One that is no longer held here, as nearly all, needs no timer. */
function limitSending(outgoing: ServerResponse, sendMs: number): void {
  if (!outgoing.writableEnded || outgoing.writableFinished || outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.destroy(), sendMs);
  outgoing.once('close', () => clearTimeout(timer));
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use, choose another port or 0 for any free one',
  EACCES: 'this user may not use it, choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
};
