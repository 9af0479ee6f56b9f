import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { type Reply, send } from '../reply.js';
import type { Chance } from './chance.js';
import type { Fault } from './fault.js';

/** Waits for so many milliseconds; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export const realPause: Pause = (ms, signal) => setTimeout(ms, undefined, { signal });

/** How long what was written before a reset has to be read, in milliseconds: a reset may overtake it. */
const headStart = 20;

/**
 * Sends a reply, spoiled on its way by a fault of the connection or of bytes; any other fault sends it as it is. Resolves when nothing is
 * left to send; the signal cuts it short. A response that its client left is left alone.
 */
export async function deliver(
  response: ServerResponse,
  reply: Reply,
  fault: Fault | undefined,
  chance: Chance,
  signal: AbortSignal,
  pause: Pause,
): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(reply.body);
  switch (fault?.kind) {
    case 'reset':
      if (fault.at === 'body') {
        await writeBegun(response, reply, body.subarray(0, body.length >> 1));
        await pause(headStart, signal);
      }
      response.socket?.resetAndDestroy();
      return;
    case 'truncate':
      await writeBegun(response, reply, body.subarray(0, Math.min(fault.keep ?? body.length >> 1, body.length - 1)));
      response.socket?.destroySoon();
      return;
    case 'invalid-utf8':
      response.writeHead(reply.status, reply.headers).end(withBadByte(body, chance));
      return;
    case 'drip':
      await drip(response, reply, body, fault.bytes ?? 16, fault.everyMs ?? 50, signal, pause);
      return;
    default:
      send(response, reply);
  }
}

/** Writes the head and a part of the body; resolves when they are on their way. */
function writeBegun(response: ServerResponse, { status, headers }: Reply, part: Buffer): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  return new Promise((resolve) => response.write(part, () => resolve()));
}

async function drip(
  response: ServerResponse,
  { status, headers }: Reply,
  body: Buffer,
  bytes: number,
  everyMs: number,
  signal: AbortSignal,
  pause: Pause,
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  for (let at = 0; at < body.length; at += bytes) {
    await pause(everyMs, signal);
    if (response.destroyed) return;
    response.write(body.subarray(at, at + bytes));
  }
  response.end();
}

const quote = 0x22;
/** A byte that no UTF-8 has anywhere. */
const never = 0xff;

/** Replaces a letter right behind a quote, which is inside a string: decoded without care, the JSON still parses. */
function withBadByte(body: Buffer, chance: Chance): Buffer {
  const places = [...body.keys()].filter((at) => at > 0 && body[at - 1] === quote && isLetter(body[at]!));
  const spoiled = Buffer.from(body);
  const place = places[Math.floor(chance('byte') * places.length)];
  if (place !== undefined) spoiled[place] = never;
  return spoiled;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
