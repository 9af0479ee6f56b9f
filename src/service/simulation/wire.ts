/** Answers that are written to the connection byte by byte, spoiled on their way by a fault. */
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Problem, problemResponse } from '../errors.js';
import type { Chance } from './plan.js';
import type { Fault } from './schema.js';

/** An answer taken apart. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** Waits for so many milliseconds; rejects when the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export const realPause: Pause = (ms, signal) => setTimeout(ms, undefined, { signal });

/** Takes an answer apart. */
export async function replyOf(response: Response): Promise<Reply> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** The reply of a fault that keeps a request from its operation; undefined for all others. */
export async function replyInPlace(fault: Fault): Promise<Reply | undefined> {
  if (fault.kind === 'status') return statusReply(fault.status ?? 503);
  if (fault.kind !== 'rate-limited') return undefined;
  const { retryAfter = 1 } = fault;
  const reply = await statusReply(429);
  const now = Math.floor(Date.now() / 1_000);
  const reset = typeof retryAfter === 'number' ? { 'x-rate-limit-reset': now + retryAfter } : {};
  return { ...reply, headers: { ...reply.headers, 'retry-after': retryAfter, ...reset } };
}

const codes: Readonly<Record<number, string>> = { 429: 'ERR_TOO_MANY_REQUESTS', 500: 'ERR_EXCEPTION' };

/** As an overloaded or broken platform answers. */
function statusReply(status: number): Promise<Reply> {
  const advice = 'this fault is simulated, by the plan of faults or by the header of the request';
  const code = codes[status] ?? 'ERR_OPERATION_FAILED';
  return replyOf(problemResponse(new Problem(status, code, `a fault with ${status}`, advice)));
}

/** How long what was written before a reset has to be read, in milliseconds: a reset may overtake it. */
const headStart = 20;

/**
 * Writes a reply as a fault has it. Resolves when nothing is left to write; the signal cuts it short. A response that its client
 * left is left alone.
 */
export async function deliver(
  response: ServerResponse,
  reply: Reply,
  fault: Fault,
  chance: Chance,
  signal: AbortSignal,
  pause: Pause,
): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  const { status, headers } = reply;
  const body = Buffer.from(reply.body);
  switch (fault.kind) {
    case 'html': {
      const page = '<!doctype html>\n<title>Please wait</title>\n<h1>Checking your browser</h1>\n';
      const html = { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(page) };
      response.writeHead(fault.status ?? 200, html).end(page);
      return;
    }
    case 'content-type':
      response.writeHead(status, { ...headers, 'content-type': fault.type ?? 'text/plain' }).end(body);
      return;
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
      response.writeHead(status, headers).end(withBadByte(body, chance));
      return;
    case 'drip':
      await drip(response, reply, body, fault.bytes ?? 16, fault.everyMs ?? 50, signal, pause);
      return;
    default:
      response.writeHead(status, headers).end(body);
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
const neverByte = 0xff;

/** Replaces a letter right behind a quote, which is inside a string: decoded without care, the JSON still parses. */
function withBadByte(body: Buffer, chance: Chance): Buffer {
  const places = [...body.keys()].filter((at) => at > 0 && body[at - 1] === quote && isLetter(body[at]!));
  const spoiled = Buffer.from(body);
  const place = places[Math.floor(chance('byte') * places.length)];
  if (place !== undefined) spoiled[place] = neverByte;
  return spoiled;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
