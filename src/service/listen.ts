import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { UsageError } from '../errors.js';
import { sendParserFault } from './parser-fault.js';

/** A listening socket. */
export interface Listening {
  readonly address: AddressInfo;
  /** Stops listening, lets requests in flight finish, drops idle connections; resolves when the last one is gone. */
  readonly close: () => Promise<void>;
}

/** How long requests in flight may take to finish after `close`, in milliseconds. */
const patience = 5_000;

/** Longer than the 5 s of node: a client that pauses finds its connection alive instead of racing with its end. */
const keepAlive = 30_000;

/**
 * Listens with node's http server. Requests need no `host`: nothing here is told apart by it. Throws `UsageError` when the
 * address cannot be had.
 */
export async function listen(onRequest: RequestListener, host: string, port: number): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: keepAlive, requireHostHeader: false });
  const connections = track(server, onRequest);
  await bind(server, host, port);
  // To fail to accept, as with too many open files, costs that connection and not the service.
  server.on('error', () => {});
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= stop(server, connections);
    return closed;
  };
  return { address: server.address() as AddressInfo, close };
}

/** Open connections. */
interface Connections {
  /** From now on, a connection ends with the last request that it carries; idle ones end at once. */
  readonly end: () => void;
}

/**
 * Hands requests on and counts those in flight on every connection, since node cannot tell: it takes a connection that never
 * sent a byte for a busy one, and keeps one alive after a last request.
 */
function track(server: Server, onRequest: RequestListener): Connections {
  const inFlight = new Map<Duplex, number>();
  let isEnding = false;
  const take: RequestListener = (request, response) => {
    const { socket } = request;
    inFlight.set(socket, (inFlight.get(socket) ?? 0) + 1);
    if (isEnding) response.setHeader('connection', 'close');
    response.once('close', () => {
      const left = (inFlight.get(socket) ?? 1) - 1;
      if (inFlight.has(socket)) inFlight.set(socket, left);
      if (isEnding && left === 0) socket.end();
    });
    onRequest(request, response);
  };
  server.on('connection', (socket) => {
    inFlight.set(socket, 0);
    socket.once('close', () => inFlight.delete(socket));
  });
  server.on('request', take);
  // Node would answer an `expect` it does not know by itself, and not in JSON; nothing here depends on one.
  server.on('checkExpectation', take);
  server.on('clientError', (error, socket) => {
    if ((inFlight.get(socket) ?? 0) > 0) socket.destroy();
    else sendParserFault(error, socket);
  });
  const end = (): void => {
    isEnding = true;
    for (const [socket, requests] of inFlight) if (requests === 0) socket.destroy();
  };
  return { end };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new UsageError(`cannot listen on \`${host}\` port ${port}: ${reasonOf(cause)}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'it is in use, choose another port or 0 for any free one';
  if (code === 'EACCES') return 'this user may not use it, choose a port above 1023';
  return code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND'
    ? 'this machine has no such address'
    : (code ?? 'unknown reason');
}

function stop(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), patience);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    connections.end();
  });
}
