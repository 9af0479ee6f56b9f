/**
 * The connections of a server of `node:http`. Node begins pipelined requests at once, and holds their answers until the client takes them.
 * Here each of them waits until the answer before it was taken, and meanwhile its connection is read no further.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Statuses with which the listener itself refuses a request. Node would answer without a body. */
export type RefusedStatus = 400 | 405 | 408 | 413 | 417 | 431 | 500 | 503;

/** How a server answers, and how much its connections may take. */
interface Answering {
  /** Answers a request. Its work may be given up when `outgoing` is destroyed; a rejection ends the connection. */
  readonly answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
  /** Returns the bytes of an answer of the listener's own, with which a connection ends. */
  readonly refuse: (status: RefusedStatus) => Promise<string>;
  /** The number of requests after which a connection ends. */
  readonly requestsPerConnection: number;
  /** The longest time, in milliseconds, in which a client takes a complete answer. */
  readonly sendMs: number;
}

interface Connection {
  readonly socket: Duplex;
  /** Whether a request is answered or about to be. CONNECT has no response of Node's. */
  isBusy: boolean;
  current: ServerResponse | undefined;
  /** Functions that begin the requests after the current one. */
  readonly waiting: (() => void)[];
  requests: number;
  /** Whether the connection carries no further requests. */
  isCut: boolean;
}

/** The most requests that wait on one connection. The shortest requests in one piece of 64 KiB are more, and end the connection. */
const mostWaiting = 1_000;

/** The most requests that wait on all connections together. Each takes a kilobyte or two. */
const mostWaitingTogether = 20_000;

/** How long a client that may still be sending has for the last answer: if its connection were destroyed, it would lose that. */
const lingerMs = 500;

/** The statuses for what Node finds wrong with the bytes of a client; everything else is 400. */
const statusByCode: Readonly<Record<string, RefusedStatus>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** The connections of one server, which hand on one request at a time each. */
export class Connections {
  readonly #answering: Answering;
  readonly #connections = new Map<Duplex, Connection>();
  #isEnding = false;
  #waiting = 0;

  constructor(server: Server, answering: Answering) {
    this.#answering = answering;
    server.on('connection', (socket: Duplex) => this.#open(socket));
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => this.#receive(incoming, outgoing));
    server.on('connect', (_incoming: IncomingMessage, socket: Duplex) => {
      // Node lets go of the socket of a CONNECT.
      socket.on('error', () => socket.destroy());
      this.#refuseLast(socket, 405);
    });
    server.on('checkExpectation', ({ socket }: IncomingMessage) => this.#refuseLast(socket, 417));
    server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
      if (!socket.writable) socket.destroy();
      const connection = this.#connections.get(socket);
      const { current, isCut } = connection ?? {};
      const status = statusByCode[code] ?? 400;
      // A request that waits for the rest of its body gets no other answer; what comes after a whole request waits for its turn.
      const isCurrent = current?.headersSent === false && !current.req.complete;
      if (connection !== undefined && isCurrent && !isCut) this.#refuse(connection, status);
      else this.#refuseLast(socket, status);
    });
  }

  /** Makes every connection end with its next answer. */
  prepareEnd(): void {
    this.#isEnding = true;
    for (const { current } of this.#connections.values())
      if (current?.headersSent === false) current.setHeader('connection', 'close');
  }

  /** Ends the connections that carry no request. */
  end(): void {
    for (const connection of this.#connections.values()) {
      const { socket, isBusy, current, waiting } = connection;
      const isBetween = current === undefined && waiting.length > 0;
      this.#drop(connection);
      if (!isBusy || isBetween) socket.destroy();
    }
  }

  /** Answers requests that have no answer yet with 503. */
  giveUp(): void {
    for (const connection of this.#connections.values())
      if (connection.current?.headersSent === false) this.#refuse(connection, 503);
  }

  /** Ends all connections, whatever they carry. */
  destroy(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #open(socket: Duplex): void {
    const connection = { socket, isBusy: false, current: undefined, waiting: [], requests: 0, isCut: false };
    this.#connections.set(socket, connection);
    // Node reads on by itself, at the end of each request among others.
    socket.on('resume', () => connection.waiting.length > 0 && socket.pause());
    socket.once('close', () => {
      this.#drop(connection);
      this.#connections.delete(socket);
    });
  }

  #receive(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // Node reports a write to a connection that is gone here too; without a listener that would end the process.
    outgoing.on('error', () => {});
    const connection = this.#connections.get(incoming.socket);
    if (connection === undefined || connection.isCut) return;
    connection.requests += 1;
    if (connection.requests >= this.#answering.requestsPerConnection) {
      // Node's own limit says `connection: close` and keeps the connection.
      outgoing.setHeader('connection', 'close');
      connection.isCut = true;
    }
    this.#take(connection, () => this.#begin(connection, incoming, outgoing));
  }

  /** Begins what came on a connection, or lets it wait for its turn. */
  #take(connection: Connection, begin: () => void): void {
    if (!connection.isBusy) {
      connection.isBusy = true;
      begin();
    } else if (connection.waiting.length < mostWaiting && this.#waiting < mostWaitingTogether) {
      this.#waiting++;
      connection.waiting.push(begin);
      connection.socket.pause();
    } else {
      connection.isCut = true;
      connection.socket.destroy();
    }
  }

  #begin(connection: Connection, incoming: IncomingMessage, outgoing: ServerResponse): void {
    connection.current = outgoing;
    if (this.#isEnding) outgoing.setHeader('connection', 'close');
    outgoing.once('close', () => this.#next(connection));
    this.#answering.answer(incoming, outgoing).then(
      () => limitSending(outgoing, this.#answering.sendMs),
      () => outgoing.destroy(),
    );
  }

  #next(connection: Connection): void {
    const { socket, waiting } = connection;
    connection.current = undefined;
    // A request after the last one of a connection is not begun: its answer would not be sent.
    if (socket.destroyed || !socket.writable) return;
    connection.isBusy = waiting.length > 0 && !this.#isEnding;
    if (this.#isEnding) endSocket(socket);
    if (!connection.isBusy) return;
    // Answers that the kernel takes at once would follow each other without a turn for other connections.
    setImmediate(() => {
      if (socket.destroyed) return;
      if (waiting.length > 0) this.#waiting--;
      waiting.shift()?.();
      if (waiting.length === 0) socket.resume();
    });
  }

  #drop({ waiting }: Connection): void {
    this.#waiting -= waiting.length;
    waiting.length = 0;
  }

  /** Refuses what came last on a connection, when its turn has come. */
  #refuseLast(socket: Duplex, status: RefusedStatus): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.isCut) return;
    connection.isCut = true;
    this.#take(connection, () => this.#refuse(connection, status));
  }

  #refuse(connection: Connection, status: RefusedStatus): void {
    const { socket, current } = connection;
    connection.isCut = true;
    this.#drop(connection);
    if (current !== undefined) current.statusCode = status;
    const timer = setTimeout(() => socket.destroy(), this.#answering.sendMs);
    socket.once('close', () => clearTimeout(timer));
    this.#answering.refuse(status).then(
      // An answer that began meanwhile goes out instead.
      (bytes) => current?.headersSent !== true && endSocket(socket, bytes),
      () => socket.destroy(),
    );
  }
}

/** Ends a connection once everything was sent. Input is discarded until then, so that the client gets to read. */
function endSocket(socket: Duplex, bytes = ''): void {
  socket.once('finish', () => {
    const timer = setTimeout(() => socket.destroy(), bytes === '' ? 0 : lingerMs);
    socket.once('close', () => clearTimeout(timer));
  });
  socket.once('end', () => socket.destroy());
  socket.resume();
  socket.end(bytes);
}

/** Ends an answer that its client does not take in time. Nearly every answer is with the kernel by then, and needs no timer. */
function limitSending(outgoing: ServerResponse, sendMs: number): void {
  if (!outgoing.writableEnded || outgoing.writableFinished || outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.destroy(), sendMs);
  outgoing.once('close', () => clearTimeout(timer));
}
