/** The listening socket: Node's http server under limits, in front of an app of the Fetch API, and its graceful end. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server';
import { UsageError } from '../errors.js';
import { Connections, type RefusedStatus } from './connections.js';
import { canonicalPath } from './target.js';

/** How much connections and requests may take: bytes, requests, and milliseconds. */
export interface ListenerLimits {
  /** Request line and headers together; more is 431. */
  readonly headBytes: number;
  /** From the first byte of a request, or from the opening of a connection, to the end of its head; longer is 408. */
  readonly headMs: number;
  /** How much longer a request may take to its end; longer is 408. */
  readonly bodyMs: number;
  /** How long a connection is kept for a next request: a client that pauses finds it alive instead of racing with its end. */
  readonly idleMs: number;
  /** From when an answer is complete to when its client has taken it; longer ends the connection. */
  readonly sendMs: number;
  /** How long requests in flight may take to finish after `close`; requests without an answer by then get 503. */
  readonly closeMs: number;
  /** Milliseconds for which `close` still accepts requests that are on their way, each the last of its connection; none by default. */
  readonly lastRequestsMs?: number;
  /** After as many requests a connection ends, with `connection: close` on the last answer. */
  readonly requestsPerConnection: number;
}

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

/** The address, the limits and the app of a listening socket. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ListenerLimits;
  readonly fetch: (request: Request, node: HttpBindings) => Response | Promise<Response>;
  /**
   * Whether the process serves and does nothing else. The bridge to Node then puts its own `Request` and `Response`, which take a third of the
   * time, in the place of those of the process.
   */
  readonly isWholeProcess?: boolean;
  /** Returns the answer to a request that reaches no app: no HTTP, CONNECT, a request that is late or too large, and one that `close` gives up. */
  readonly refuse: (status: RefusedStatus, words: string) => Response;
  readonly onRequest?: OnRequest | undefined;
}

/** A listening socket. */
export interface Listener {
  /** Host and port to call; a server on all addresses is called on loopback. */
  readonly authority: string;
  /** Stops listening, lets requests in flight finish, drops idle connections; resolves when the last one is gone. */
  readonly close: () => Promise<void>;
}

/** Milliseconds that clients have to read the answers with which `close` gives up their requests. */
const lastMs = 1_000;

const refusals: Readonly<Record<RefusedStatus, string>> = {
  400: 'the request is not http/1.1 as it should be',
  405: 'the method CONNECT is not taken',
  408: 'the request did not come in time',
  413: 'the extensions of a chunk are too long',
  417: '`expect` may be 100-continue and nothing else',
  431: 'the head of the request is too large',
  500: 'the server failed',
  503: 'the server is ending; send the request again',
};

/**
 * Listens with Node's http server. Bytes that are not HTTP, heads that are too large (431) and requests that are too slow (408) are refused
 * without the app. Requests need no header `host`. Throws `UsageError` when the address cannot be had.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, limits } = options;
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
  const connections = new Connections(server, {
    answer: answerBy(options),
    refuse: async (status) => bytesOf(options.refuse(status, refusals[status])),
    requestsPerConnection: limits.requestsPerConnection,
    sendMs: limits.sendMs,
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason = reasons[cause.code ?? ''] ?? cause.code ?? 'unknown reason';
    throw new UsageError(`cannot listen on \`${host}\` port ${port}: ${reason}`, { cause });
  });
  // A connection that cannot be accepted, as with too many open files, costs itself and not the server.
  server.on('error', () => {});
  const close = async (): Promise<void> => {
    connections.prepareEnd();
    if (limits.lastRequestsMs !== undefined) await pause(limits.lastRequestsMs);
    // Requests that have arrived are read before its connection counts as idle.
    await allSockets();
    const closed = once(server, 'close');
    server.close();
    connections.end();
    const timers = [
      setTimeout(() => connections.giveUp(), limits.closeMs),
      setTimeout(() => connections.destroy(), limits.closeMs + lastMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
    // The requests of the last connections are reported.
    await allSockets();
  };
  return { authority: authorityOf(server.address() as AddressInfo), close };
}

function answerBy({ fetch, isWholeProcess = false, refuse, onRequest }: ListenOptions) {
  const answer = getRequestListener((request, node) => fetch(request, node as HttpBindings), {
    hostname: 'localhost',
    overrideGlobalObjects: isWholeProcess,
    errorHandler: (error) =>
      error instanceof RequestError
        ? refuse(
            400,
            'the target of the request, or its header `host`, is malformed; percent-encode the target as utf-8',
          )
        : refuse(500, refusals[500]),
  });
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (onRequest !== undefined) reportRequest(incoming, outgoing, onRequest);
    await answer(incoming, outgoing);
  };
}

function reportRequest(incoming: IncomingMessage, outgoing: ServerResponse, onRequest: OnRequest): void {
  const startedAt = performance.now();
  outgoing.once('close', () => {
    const { headersSent, statusCode } = outgoing;
    // The listener refuses a request without a head of its response, and sets the status alone.
    const isAnswered = headersSent || statusCode !== 200;
    const request = { method: incoming.method ?? '', path: canonicalPath(incoming) };
    onRequest({ ...request, ...(isAnswered && { status: statusCode }), tookMs: performance.now() - startedAt });
  });
}

/** Resolves once the loop has looked at all sockets. */
async function allSockets(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Returns the bytes of a response that ends its connection. */
async function bytesOf(response: Response): Promise<string> {
  const body = await response.text();
  const headers = new Headers(response.headers);
  headers.set('content-length', String(Buffer.byteLength(body)));
  headers.set('date', new Date().toUTCString());
  headers.set('connection', 'close');
  const { status } = response;
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...[...headers].map((one) => one.join(': '))];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function authorityOf({ address, family, port }: AddressInfo): string {
  if (family === 'IPv6') return `[${address === '::' ? '::1' : address}]:${port}`;
  return `${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use, choose another port or 0 for any free one',
  EACCES: 'this user may not use it, choose a port above 1023',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
};
