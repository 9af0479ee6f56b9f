/** The listening socket: Node's http server under limits, and its graceful end. */
import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { UsageError } from '../errors.js';
import { type Answering, answerInTurn, type RefusedStatus } from './connections.js';
import { logRequest, type OnRequest } from './request-log.js';

/** What a connection and a request may take of a server: bytes, requests, and milliseconds. */
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
  /** How long requests in flight may take to finish after `close`; what has no answer by then is 503. */
  readonly closeMs: number;
  /** How long `close` goes on to take requests, each the last of its connection: others may be on their way. Absent, those that have arrived. */
  readonly lastRequestsMs?: number;
  /** After as many requests a connection ends, with `connection: close` on the last answer. */
  readonly requestsPerConnection: number;
}

/** What listens, and where. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ListenerLimits;
  readonly answer: Answering['answer'];
  /** The answer, with these words, to what reaches no app: no HTTP, CONNECT, what is late or too large, and what `close` gives up. */
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

/** How long clients have to take the answers with which `close` gives up their requests. */
const lastMs = 1_000;

const refusals: Readonly<Record<RefusedStatus, string>> = {
  400: 'the request is not http/1.1 as it should be',
  405: 'the method CONNECT is not taken',
  408: 'the request did not come in time',
  413: 'the extensions of a chunk are too long',
  417: '`expect` may be 100-continue and nothing else',
  431: 'the head of the request is too large',
  503: 'the server is ending; send the request again',
};

/**
 * Listens with Node's http server. What is not HTTP, too large a head (431) and too slow a request (408) are refused without `answer`.
 * Requests need no `host`: nothing here is told apart by it. Throws `UsageError` when the address cannot be had.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, limits, answer, onRequest } = options;
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
    answer:
      onRequest === undefined
        ? answer
        : (incoming, outgoing) => {
            logRequest(incoming, outgoing, onRequest);
            return answer(incoming, outgoing);
          },
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
    // What has arrived is read before its connection counts as idle.
    await allSockets();
    const closed = once(server, 'close');
    server.close();
    connections.end();
    const timers = [
      setTimeout(connections.giveUp, limits.closeMs),
      setTimeout(connections.destroy, limits.closeMs + lastMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
    // What the last ones carried is reported.
    await allSockets();
  };
  return { authority: authorityOf(server.address() as AddressInfo), close };
}

/** Resolves once the loop has looked at all sockets. */
async function allSockets(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** The bytes of a response that ends its connection. */
async function bytesOf(response: Response): Promise<string> {
  const body = await response.text();
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.set('content-length', String(Buffer.byteLength(body)));
  headers.set('date', new Date().toUTCString());
  headers.set('connection', 'close');
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
