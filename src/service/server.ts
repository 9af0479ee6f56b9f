/** The listening socket: Node's http server under limits, and its graceful end. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { UsageError } from '../errors.js';
import type { ServiceEnv } from './app.js';
import { problemResponse, problems } from './errors.js';
import type { ServiceLimits } from './options.js';

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
  const connections = trackConnections(server, app, limits);
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

/**
 * Hands requests to the app and counts them by connection: Node takes a connection that never sent a byte for busy, and keeps
 * one alive after the last request that it may carry.
 */
function trackConnections(server: Server, app: Hono<ServiceEnv>, limits: ServiceLimits) {
  const answer = getRequestListener(app.fetch, {
    hostname: 'localhost',
    // The library must not put other classes in the place of the process's own `Request` and `Response`.
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      problemResponse(error instanceof RequestError ? problems.malformed('target') : problems.ourFault()),
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
  return {
    /** From now on, a connection ends with the last answer that it carries; idle ones end at once. */
    end: () => {
      isEnding = true;
      for (const [socket, { open }] of connections) {
        if (open.size === 0) socket.destroy();
        for (const outgoing of open) if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
      }
    },
    /** Ends all of them, whatever they carry. */
    destroy: () => {
      for (const socket of connections.keys()) socket.destroy();
    },
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
