/**
 * The connections of a server of `node:http`. Node begins all requests that come on one without waiting (pipelined) at once, and holds
 * their answers until the client takes them. Here they have their turns: the next one begins when the answer before it has been taken, and
 * meanwhile the connection is read no further.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How a server answers, and what its connections may take. */
export interface Answering {
  /** Answers a request; its work may be given up when `outgoing` is destroyed. What it throws ends the connection. */
  readonly answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
  /** The bytes of an answer of the listener's own, with which a connection ends. */
  readonly refuse: (status: RefusedStatus) => Promise<string>;
  /** After as many requests a connection ends. */
  readonly requestsPerConnection: number;
  /** How long an answer that is complete may take to be taken, in milliseconds. */
  readonly sendMs: number;
}

/** What the listener refuses by itself; Node would do so without a body. */
export type RefusedStatus = 400 | 405 | 408 | 413 | 417 | 431 | 503;

/** What ends connections. */
export interface Connections {
  /** From now on each ends with its next answer. */
  readonly prepareEnd: () => void;
  /** Ends those that carry no request. */
  readonly end: () => void;
  /** Answers requests that have no answer yet with 503. */
  readonly giveUp: () => void;
  /** Ends all of them, whatever they carry. */
  readonly destroy: () => void;
}

interface Connection {
  readonly socket: Duplex;
  /** Something is answered, or about to be; CONNECT has no response of Node's. */
  isBusy: boolean;
  current: ServerResponse | undefined;
  /** Begin what came behind it. */
  readonly waiting: (() => void)[];
  requests: number;
  /** It carries no further requests. */
  isCut: boolean;
}

/**
 * So many requests may wait on a connection. The parser does not stop within what was read at once, 64 KiB, of which the shortest
 * requests fill more: a connection of such ends.
 */
const mostWaiting = 1_000;

/** So many may wait on all connections together: a request that waits takes a kilobyte or two. */
const mostWaitingTogether = 20_000;

/** How long the end of a connection is left to its client, which may still be sending: destroyed meanwhile, it would lose the last answer. */
const lingerMs = 500;

/** What Node says by its code is wrong with the bytes of a client; everything else is 400. */
const statusByCode: Readonly<Record<string, RefusedStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Hands the requests of a server on, one of each connection at a time. */
export function answerInTurn(server: Server, answering: Answering): Connections {
  const connections = new Map<Duplex, Connection>();
  let isEnding = false;
  let waitingTogether = 0;

  const next = (connection: Connection): void => {
    const { socket, waiting } = connection;
    connection.current = undefined;
    // What stands behind the last request that a connection carries is not begun: nobody would get its answer.
    if (socket.destroyed || !socket.writable) return;
    if (isEnding) {
      end(socket);
      return;
    }
    connection.isBusy = waiting.length > 0;
    // Answers that the kernel takes at once would follow each other without a turn for anybody else.
    if (connection.isBusy) setImmediate(beginNext, connection);
  };
  const beginNext = ({ socket, waiting }: Connection): void => {
    if (socket.destroyed) return;
    if (waiting.length > 0) waitingTogether--;
    waiting.shift()?.();
    if (waiting.length === 0) socket.resume();
  };
  const take = (connection: Connection, begin: () => void): void => {
    if (!connection.isBusy) {
      connection.isBusy = true;
      begin();
    } else if (connection.waiting.length < mostWaiting && waitingTogether < mostWaitingTogether) {
      waitingTogether++;
      connection.waiting.push(begin);
      connection.socket.pause();
    } else cut(connection);
  };
  const drop = ({ waiting }: Connection): void => {
    waitingTogether -= waiting.length;
    waiting.length = 0;
  };
  const refuse = (connection: Connection, status: RefusedStatus): void => {
    const { socket, current } = connection;
    connection.isCut = true;
    drop(connection);
    if (current !== undefined) current.statusCode = status;
    const timer = setTimeout(() => socket.destroy(), answering.sendMs);
    socket.once('close', () => clearTimeout(timer));
    answering.refuse(status).then(
      // An answer that began meanwhile goes out instead.
      (bytes) => current?.headersSent !== true && end(socket, bytes),
      () => socket.destroy(),
    );
  };
  const begin = (connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void => {
    connection.current = outgoing;
    if (isEnding) outgoing.setHeader('connection', 'close');
    outgoing.once('close', () => next(connection));
    answering.answer(incoming, outgoing).then(
      () => limitSending(outgoing, answering.sendMs),
      () => outgoing.destroy(),
    );
  };

  server.on('connection', (socket: Duplex) => {
    const connection: Connection = {
      socket,
      isBusy: false,
      current: undefined,
      waiting: [],
      requests: 0,
      isCut: false,
    };
    connections.set(socket, connection);
    // Node reads on by itself, at the end of each request among others.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      drop(connection);
      connections.delete(socket);
    });
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Node reports a write to a connection that is gone here too; without a listener that would end the process.
    outgoing.on('error', () => {});
    const connection = connections.get(incoming.socket);
    if (connection === undefined || connection.isCut) return;
    connection.requests += 1;
    if (connection.requests >= answering.requestsPerConnection) {
      // Node's own limit says `connection: close` and keeps the connection.
      outgoing.setHeader('connection', 'close');
      connection.isCut = true;
    }
    take(connection, () => begin(connection, incoming, outgoing));
  });
  /** Refuses what came last on a connection, when its turn has come. */
  const refuseLast = (socket: Duplex, status: RefusedStatus): void => {
    const connection = connections.get(socket);
    if (connection === undefined || connection.isCut) return;
    connection.isCut = true;
    take(connection, () => refuse(connection, status));
  };
  server.on('connect', (_incoming: IncomingMessage, socket: Duplex) => {
    // Node lets go of the socket of a CONNECT: its errors are ours now.
    socket.on('error', () => socket.destroy());
    refuseLast(socket, 405);
  });
  server.on('checkExpectation', ({ socket }: IncomingMessage) => refuseLast(socket, 417));
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable) socket.destroy();
    const connection = connections.get(socket);
    const status = statusByCode[code] ?? 400;
    // The request that waits for the rest of its body will get no other answer; what stands behind a whole one waits for its turn.
    const isCurrent = connection?.current?.headersSent === false && !connection.current.req.complete;
    if (connection !== undefined && isCurrent && !connection.isCut) refuse(connection, status);
    else refuseLast(socket, status);
  });

  return {
    prepareEnd: () => {
      isEnding = true;
      for (const { current } of connections.values())
        if (current?.headersSent === false) current.setHeader('connection', 'close');
    },
    end: () => {
      for (const connection of connections.values()) {
        const { socket, isBusy, current, waiting } = connection;
        const isBetween = current === undefined && waiting.length > 0;
        drop(connection);
        if (!isBusy || isBetween) socket.destroy();
      }
    },
    giveUp: () => {
      for (const connection of connections.values())
        if (connection.current?.headersSent === false) refuse(connection, 503);
    },
    destroy: () => {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

function cut(connection: Connection): void {
  connection.isCut = true;
  connection.socket.destroy();
}

/** Ends a connection once what was written has gone out. What comes meanwhile is thrown away, so that its sender comes to read. */
function end(socket: Duplex, bytes = ''): void {
  socket.once('finish', () => {
    const timer = setTimeout(() => socket.destroy(), bytes === '' ? 0 : lingerMs);
    socket.once('close', () => clearTimeout(timer));
  });
  socket.once('end', () => socket.destroy());
  socket.resume();
  socket.end(bytes);
}

/** Ends an answer that its client does not take in time. One that is no longer held here, as nearly all, needs no timer. */
function limitSending(outgoing: ServerResponse, sendMs: number): void {
  if (!outgoing.writableEnded || outgoing.writableFinished || outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.destroy(), sendMs);
  outgoing.once('close', () => clearTimeout(timer));
}
