/**
 * The listening socket: Node's http server under its own limits, in front of an app of the Fetch
 * API, and its graceful end. Node would begin pipelined requests at once, and would not report that
 * waiting answers were lost with their connection: here each request waits for its turn.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { UsageError } from '../errors.js';
import { canonicalPath } from './target.js';

/** How long connections and requests may take, in milliseconds; longer requests are 408. */
export interface ListenerTimes {
  /**
   * Time from the first byte of a request, or the opening of a connection, to the end of its head.
   */
  readonly headMs: number;
  /** Time from the end of the head of a request to its end. */
  readonly bodyMs: number;
  /** Time for which an idle connection waits for another request. */
  readonly idleMs: number;
  /** Time from the end of an answer until its client has received it. */
  readonly sendMs: number;
  /** Time that requests in flight have after `close`; those without an answer get 503 then. */
  readonly closeMs: number;
  /**
   * Time for which `close` still accepts requests under way, each as the last of its connection.
   */
  readonly lastRequestsMs: number;
}

const usualTimes: ListenerTimes = {
  headMs: 10_000,
  bodyMs: 30_000,
  idleMs: 30_000,
  sendMs: 60_000,
  closeMs: 5_000,
  lastRequestsMs: 0,
};

/** A request that is over, without query, headers and body, which may hold a text or a key. */
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

/** The address, the times and the app of a listening socket. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly times?: Partial<ListenerTimes>;
  readonly fetch: (request: Request, node: HttpBindings) => Response | Promise<Response>;
  /**
   * Whether the process serves and does nothing else. The bridge to Node then replaces the global
   * `Request` and `Response` by its own, which take a third of the time.
   */
  readonly isWholeProcess?: boolean;
  readonly onRequest?: OnRequest | undefined;
}

/** A listening socket. */
export interface Listener {
  /** Host and port to call; a server on all addresses is called on loopback. */
  readonly authority: string;
  /**
   * Stops listening, lets requests in flight finish, drops idle connections. Resolves when the last
   * one is gone.
   */
  readonly close: () => Promise<void>;
}

/** A request of a connection, which begins when the one before it was answered. */
interface Turn {
  readonly outgoing: ServerResponse;
  readonly begin: () => void;
}

/** The largest size of request line and headers together; more gets 431. */
const headBytes = 16 * 1024;

/**
 * The largest number of requests of a connection at a time; more end the connection. Most clients
 * send one at a time.
 */
const mostTurns = 16;

/** Milliseconds that clients have to read the answers with which `close` gives up requests. */
const lastMs = 1_000;

/**
 * Listens with Node's http server, which answers bytes that are not HTTP (400), heads that are too
 * large (431) and requests that are too slow (408) without the app and without a body. Requests
 * need no header `host`. Throws `UsageError` if the address cannot be used.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, port, onRequest } = options;
  const times = { ...usualTimes, ...options.times };
  const server = createServer({
    keepAliveTimeout: times.idleMs,
    headersTimeout: times.headMs,
    requestTimeout: times.headMs + times.bodyMs,
    connectionsCheckingInterval: Math.min(500, Math.max(20, times.headMs >> 2)),
    maxHeaderSize: headBytes,
    requireHostHeader: false,
  });
  const answer = getRequestListener((request, node) => options.fetch(request, node as HttpBindings), {
    hostname: 'localhost',
    overrideGlobalObjects: options.isWholeProcess ?? false,
  });
  const turns = createTurns((incoming, outgoing) => {
    if (onRequest !== undefined) reportRequest(incoming, outgoing, onRequest);
    answer(incoming, outgoing).then(
      () => limitSending(outgoing, times.sendMs),
      () => outgoing.destroy(),
    );
  });
  server.on('connection', turns.open);
  server.on('request', turns.take);
  const close = async (): Promise<void> => {
    turns.beginEnd();
    if (times.lastRequestsMs > 0) await pause(times.lastRequestsMs);
    // Requests that have arrived are read before their connection counts as idle.
    await allSockets();
    const closed = once(server, 'close');
    server.close();
    turns.endIdle();
    const timers = [
      setTimeout(turns.giveUp, times.closeMs),
      setTimeout(() => server.closeAllConnections(), times.closeMs + lastMs),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
    // The requests of the last connections are reported.
    await allSockets();
  };

  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason = reasons[cause.code ?? ''] ?? cause.code ?? 'unknown reason';
    throw new UsageError(`cannot listen on \`${host}\` port ${port}: ${reason}`, { cause });
  });
  // A connection that cannot be accepted, with too many open files, fails alone.
  server.on('error', () => {});
  return { authority: authorityOf(server.address() as AddressInfo), close };
}

/** Makes the turns of all connections. `answer` begins to answer a request. */
function createTurns(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void) {
  const turnsOf = new Map<Socket, Turn[]>();
  let isEnding = false;
  const unanswered = (): readonly ServerResponse[] =>
    [...turnsOf.values()].flatMap(([turn]) => (turn?.outgoing.headersSent === false ? [turn.outgoing] : []));
  return {
    open: (socket: Socket): void => {
      turnsOf.set(socket, []);
      socket.once('close', () => turnsOf.delete(socket));
    },
    take: (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const { socket } = incoming;
      // A write to a closed connection is reported here, and would otherwise end the process.
      outgoing.on('error', () => {});
      const turns = turnsOf.get(socket);
      if (turns === undefined || turns.length === mostTurns) {
        socket.destroy();
        return;
      }
      const begin = (): void => {
        if (isEnding) outgoing.setHeader('connection', 'close');
        answer(incoming, outgoing);
      };
      outgoing.once('close', () => {
        turns.shift();
        // A request after the last one of a connection is not begun: its answer would not be sent.
        if (!socket.destroyed && socket.writable) turns[0]?.begin();
        if (isEnding && turns.length === 0) socket.destroySoon();
      });
      if (turns.push({ outgoing, begin }) === 1) begin();
    },
    /** Makes every connection end with its next answer. */
    beginEnd: (): void => {
      isEnding = true;
      for (const outgoing of unanswered()) outgoing.setHeader('connection', 'close');
    },
    /** Ends the connections that carry no request. */
    endIdle: (): void => {
      for (const [socket, turns] of turnsOf) if (turns.length === 0) socket.destroy();
    },
    /** Answers requests that have no answer yet with 503. */
    giveUp: (): void => {
      for (const outgoing of unanswered()) {
        outgoing.statusCode = 503;
        // The answer bypasses the response, to which the app may still write.
        outgoing.socket?.end(givenUp);
      }
    },
  };
}

const endingBody = JSON.stringify({ error: 'the server is ending; send the request again' });
const givenUp = `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: ${endingBody.length}\r\nconnection: close\r\n\r\n${endingBody}`;

/**
 * Ends an answer that its client does not take in time. The kernel has taken nearly every answer by
 * then, so that no timer is needed.
 */
function limitSending(outgoing: ServerResponse, sendMs: number): void {
  if (!outgoing.writableEnded || outgoing.writableFinished || outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.destroy(), sendMs);
  outgoing.once('close', () => clearTimeout(timer));
}

function reportRequest(incoming: IncomingMessage, outgoing: ServerResponse, onRequest: OnRequest): void {
  const startedAt = performance.now();
  outgoing.once('close', () => {
    const { headersSent, statusCode } = outgoing;
    const isAnswered = headersSent || statusCode === 503;
    const request = { method: incoming.method ?? '', path: canonicalPath(incoming) };
    onRequest({ ...request, ...(isAnswered && { status: statusCode }), tookMs: performance.now() - startedAt });
  });
}

/** Resolves once the event loop has checked all sockets. */
async function allSockets(): Promise<void> {
  await setImmediate();
  await setImmediate();
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
