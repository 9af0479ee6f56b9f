import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from './refusal.js';
import { refusalReply } from './reply.js';

/** How long a client has to read the last words and to close its side, in milliseconds. */
const lingers = 1_000;

/**
 * Ends a connection, with last words or without, and whatever its client does then, it is gone a second later. What still comes
 * in meanwhile is not heard: to destroy the socket at once would reset it, and the reset may overtake the words.
 */
export function hangUp(socket: Duplex, words = ''): void {
  if (socket.destroyed) return;
  if (socket.writable) socket.end(words);
  const timer = setTimeout(() => socket.destroy(), lingers);
  socket.once('close', () => clearTimeout(timer));
}

/** A refusal as bytes, for when there is no response object. */
export function refusalBytes(refusal: Refusal): string {
  const { status, headers, body } = refusalReply(refusal);
  const all = { date: new Date().toUTCString(), ...headers, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
