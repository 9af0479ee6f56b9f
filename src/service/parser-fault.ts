import type { Duplex } from 'node:stream';
import { Refusal } from './refusal.js';
import { refusalReply } from './reply.js';

/**
 * Answers bytes that are not HTTP, or too much of it, by hand: there is no response object yet. The error of the parser is
 * not passed on, for it may hold what was sent.
 */
export function sendParserFault(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusalReply(refusalOf(error));
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${phrases[status] ?? 'Bad Request'}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

const phrases: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal(
      431,
      'ERR_BAD_REQUEST',
      'the head of the request is too large',
      'send shorter headers and queries',
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal(408, 'ERR_BAD_REQUEST', 'the request took too long to arrive', 'send it in one go');
  }
  return new Refusal(400, 'ERR_BAD_REQUEST', 'the request is not well-formed http', 'use an http client');
}
