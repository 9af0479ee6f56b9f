import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../errors.js';
import type { OnBug } from './bug.js';
import { type Connections, trackConnections } from './connections.js';
import type { ServiceLimits } from './limits.js';

/** Where to listen, and what connections and requests may take. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ServiceLimits;
  readonly onBug: OnBug;
}

/** A listening socket. */
export interface Listening {
  readonly address: AddressInfo;
  /** Stops listening, lets requests in flight finish, drops idle connections; resolves when the last one is gone. */
  readonly close: () => Promise<void>;
}

/**
 * Listens with node's http server. Requests need no `host`: nothing here is told apart by it. Throws `UsageError` when the
 * address cannot be had.
 */
export async function listen(onRequest: RequestListener, options: ListenOptions): Promise<Listening> {
  const { host, port, limits } = options;
  const server = createServer({
    keepAliveTimeout: limits.idleMs,
    headersTimeout: limits.headMs,
    // For bodies that nobody reads: one that is read has its own clock, which rings first.
    requestTimeout: limits.headMs + limits.bodyMs + 1_000,
    connectionsCheckingInterval: Math.min(500, Math.max(20, limits.headMs >> 2)),
    maxHeaderSize: limits.headBytes,
    requireHostHeader: false,
  });
  // The limit in bytes is the one that counts: node drops headers beyond a number without a word.
  server.maxHeadersCount = 0;
  const connections = trackConnections(server, options, onRequest);
  await bind(server, host, port);
  // To fail to accept, as with too many open files, costs that connection and not the service.
  server.on('error', () => {});
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= stop(server, connections, limits.closeMs);
    return closed;
  };
  return { address: server.address() as AddressInfo, close };
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

function stop(server: Server, connections: Connections, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(connections.destroy, patience);
    server.close(() => {
      clearTimeout(deadline);
      resolve();
    });
    connections.end();
  });
}
