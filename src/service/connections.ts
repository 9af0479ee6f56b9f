import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OnBug } from './bug.js';
import { hangUp, refusalBytes } from './hang-up.js';
import type { ServiceLimits } from './limits.js';
import { refusalOfFault } from './parser-fault.js';
import type { Refusal } from './refusal.js';
import { refusals } from './refusals.js';
import { closing, refusalReply, send } from './reply.js';
import { setTerms, tellBug } from './request-terms.js';
import { serviceMethods } from './router.js';

/** Open connections. */
export interface Connections {
  /** From now on, a connection ends with the last request that it carries; idle ones end at once. */
  readonly end: () => void;
  /** Ends all of them, whatever they carry. */
  readonly destroy: () => void;
}

/** One connection, and what it has asked for and not got yet. */
interface Line {
  /** The request that is answered now. */
  current?: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  /** The request that came last. */
  latest?: IncomingMessage | undefined;
  /** What comes after the current one. */
  readonly waiting: (() => void)[];
  /** How many requests came. */
  count: number;
  /** The last request came, or something that was not HTTP: whatever comes after it is not heard. */
  isCut: boolean;
}

/** How many requests of one connection wait before it is read no further. */
const longest = 64;

/** The parser counts the letters of headers and not what divides them, so many short ones slip through its limit. */
const mostHeaders = 200;

/**
 * Hands requests on, those of one connection one after the other: a `GET` pipelined behind a `PUT` sees what it did. Node
 * orders the answers but begins the requests all at once; it also cannot tell an idle connection from a busy one, takes one
 * that never sent a byte for busy, and keeps one alive after a last request.
 */
export function trackConnections(
  server: Server,
  terms: { readonly limits: ServiceLimits; readonly onBug: OnBug },
  onRequest: RequestListener,
): Connections {
  const lines = new Map<Duplex, Line>();
  let isEnding = false;

  const next = (socket: Duplex, line: Line): void => {
    line.current = undefined;
    if (socket.destroyed) return;
    const job = line.waiting.shift();
    if (line.waiting.length === longest >> 1) socket.resume();
    if (job !== undefined) job();
    else if (isEnding) hangUp(socket);
  };
  const queue = (socket: Duplex, line: Line, job: () => void): void => {
    if (line.current === undefined) job();
    else if (line.waiting.push(job) === longest) socket.pause();
  };
  const begin = (request: IncomingMessage, response: ServerResponse, line: Line): void => {
    line.current = { request, response };
    if (isEnding && line.waiting.length === 0) makeLast(line, response);
    response.once('close', () => next(request.socket, line));
    if (request.rawHeaders.length > 2 * mostHeaders) {
      line.isCut = true;
      send(response, closing(refusalReply(refusals.headTooLarge())));
      return;
    }
    try {
      onRequest(request, response);
    } catch (error) {
      tellBug(request, error);
      response.destroy();
    }
  };
  const take = (request: IncomingMessage, response: ServerResponse, invite?: () => void): void => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined || line.isCut) return;
    line.latest = request;
    line.count += 1;
    // Node's own limit says `connection: close` and keeps the connection.
    if (line.count === terms.limits.requestsPerConnection) makeLast(line, response);
    setTerms(request, { ...terms, invite });
    // Node reports a write to a connection that is gone here too; without a listener that would end the process.
    response.on('error', () => {});
    queue(socket, line, () => begin(request, response, line));
  };

  server.on('connection', (socket: Socket) => {
    lines.set(socket, { waiting: [], count: 0, isCut: false });
    socket.once('close', () => lines.delete(socket));
  });
  server.on('request', (request, response) => take(request, response));
  server.on('checkContinue', (request, response) => take(request, response, () => response.writeContinue()));
  // Node would answer an `expect` it does not know by itself, and not in JSON; nothing here depends on one.
  server.on('checkExpectation', (request, response) => take(request, response));
  server.on('connect', (_request, socket) => {
    // Node lets go of the socket of a CONNECT: its errors are ours now.
    socket.on('error', () => socket.destroy());
    const line = lines.get(socket);
    if (line === undefined) return;
    line.isCut = true;
    queue(socket, line, () => hangUp(socket, refusalBytes(refusals.wrongMethod('CONNECT', serviceMethods))));
  });
  server.on('clientError', (error, socket) => {
    const line = lines.get(socket);
    const refusal = refusalOfFault(error);
    if (line === undefined || refusal === undefined) socket.destroy();
    else if (!line.isCut) refuse(socket, line, refusal);
  });
  const refuse = (socket: Duplex, line: Line, refusal: Refusal): void => {
    line.isCut = true;
    const { current, latest, waiting } = line;
    const isBehindAll = latest === undefined || latest.complete;
    if (isBehindAll || waiting.length > 0) {
      // The fault is told in its turn, in place of the request that it spoiled, which is the last that waits.
      if (!isBehindAll) waiting.pop();
      queue(socket, line, () => hangUp(socket, refusalBytes(refusal)));
    } else if (current?.request === latest && !current.response.headersSent) {
      send(current.response, closing(refusalReply(refusal)));
    } else {
      // In the body of a request whose answer has begun or is given: no second one may follow.
      hangUp(socket);
    }
  };

  return {
    end: () => {
      isEnding = true;
      for (const [socket, line] of lines) {
        if (line.current === undefined) socket.destroy();
        else if (line.waiting.length === 0) makeLast(line, line.current.response);
      }
    },
    destroy: () => {
      for (const socket of lines.keys()) socket.destroy();
    },
  };
}

/** Makes an answer the last of its connection, unless it has begun: then the end of the connection says so. */
function makeLast(line: Line, response: ServerResponse): void {
  line.isCut = true;
  if (!response.headersSent) response.setHeader('connection', 'close');
}
