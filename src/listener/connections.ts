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
  /** The bytes of what CONNECT gets; the connection ends with them. */
  readonly refuseConnect: () => Promise<string>;
  /** After as many requests a connection ends. */
  readonly requestsPerConnection: number;
  /** How long an answer that is complete may take to be taken, in milliseconds. */
  readonly sendMs: number;
}

/** What ends connections. */
export interface Connections {
  /** From now on each ends with the answer that it carries; idle ones end at once. */
  readonly end: () => void;
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

/** Hands the requests of a server on, one of each connection at a time. */
export function answerInTurn(server: Server, answering: Answering): Connections {
  const connections = new Map<Duplex, Connection>();
  let isEnding = false;

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
    waiting.shift()?.();
    if (waiting.length === 0) socket.resume();
  };
  const take = (connection: Connection, begin: () => void): void => {
    if (!connection.isBusy) {
      connection.isBusy = true;
      begin();
    } else if (connection.waiting.push(begin) <= mostWaiting) connection.socket.pause();
    else cut(connection);
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
      connection.waiting.length = 0;
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
  server.on('connect', (_incoming: IncomingMessage, socket: Duplex) => {
    // Node lets go of the socket of a CONNECT: its errors are ours now.
    socket.on('error', () => socket.destroy());
    const connection = connections.get(socket);
    if (connection === undefined || connection.isCut) return;
    connection.isCut = true;
    take(connection, () => {
      const timer = setTimeout(() => socket.destroy(), answering.sendMs);
      socket.once('close', () => clearTimeout(timer));
      answering.refuseConnect().then(
        (bytes) => end(socket, bytes),
        () => socket.destroy(),
      );
    });
  });

  return {
    end: () => {
      isEnding = true;
      for (const connection of connections.values()) {
        const { socket, isBusy, current, waiting } = connection;
        const isBetween = current === undefined && waiting.length > 0;
        waiting.length = 0;
        if (!isBusy || isBetween) socket.destroy();
        else if (current?.headersSent === false) current.setHeader('connection', 'close');
      }
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
  socket.once('finish', () => socket.destroy());
  socket.resume();
  socket.end(bytes);
}

/** Ends an answer that its client does not take in time. One that is no longer held here, as nearly all, needs no timer. */
function limitSending(outgoing: ServerResponse, sendMs: number): void {
  if (!outgoing.writableEnded || outgoing.writableFinished || outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.destroy(), sendMs);
  outgoing.once('close', () => clearTimeout(timer));
}
