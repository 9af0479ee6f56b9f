/** Answers that are written to the connection byte by byte, spoiled on their way by a fault. */
import type { ServerResponse } from 'node:http';
import { Problem } from '../errors.js';
import type { Chance } from './plan.js';
import type { Fault } from './schema.js';

const codes: Readonly<Record<number, string>> = { 429: 'ERR_TOO_MANY_REQUESTS', 500: 'ERR_EXCEPTION' };

/** Returns what an overloaded or broken platform answers in the place of the operation; undefined for faults that let it run. */
export function problemOf(fault: Fault): Problem | undefined {
  if (fault.kind !== 'status' && fault.kind !== 'rate-limited') return undefined;
  const headers: Record<string, string> = {};
  if (fault.kind === 'rate-limited') {
    const { retryAfter = 1 } = fault;
    headers['retry-after'] = String(retryAfter);
    if (typeof retryAfter === 'number')
      headers['x-rate-limit-reset'] = String(Math.floor(Date.now() / 1_000) + retryAfter);
  }
  const status = fault.kind === 'status' ? (fault.status ?? 503) : 429;
  const advice = 'this fault is simulated, by the plan of faults or by the header of the request';
  return new Problem(status, codes[status] ?? 'ERR_OPERATION_FAILED', `a fault with ${status}`, advice, { headers });
}

/** Milliseconds between the last bytes and a reset, which may overtake them. */
const headStart = 20;

/**
 * Writes an answer as a fault has it. Resolves when nothing is left to write; `pause` rejects to cut it short. A response that its client
 * left is left alone.
 */
export async function deliver(
  outgoing: ServerResponse,
  answer: Response,
  fault: Fault,
  chance: Chance,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  if (outgoing.headersSent || outgoing.destroyed) return;
  const writeHead = (more: Readonly<Record<string, string>> = {}): ServerResponse =>
    outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...more });
  /** Writes the head and a part of the body; resolves when they are on their way. */
  const begin = (part: Buffer): Promise<void> => {
    writeHead().flushHeaders();
    return new Promise((resolve) => outgoing.write(part, () => resolve()));
  };
  switch (fault.kind) {
    case 'html': {
      const page = '<!doctype html>\n<title>Please wait</title>\n<h1>Checking your browser</h1>\n';
      const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': page.length };
      outgoing.writeHead(fault.status ?? 200, headers).end(page);
      return;
    }
    case 'content-type':
      writeHead({ 'content-type': fault.type ?? 'text/plain' }).end(body);
      return;
    case 'invalid-utf8':
      writeHead().end(withBadByte(body, chance));
      return;
    case 'reset':
      if (fault.at === 'body') {
        await begin(body.subarray(0, body.length >> 1));
        await pause(headStart);
      }
      outgoing.socket?.resetAndDestroy();
      return;
    case 'truncate':
      await begin(body.subarray(0, Math.min(fault.keep ?? body.length >> 1, body.length - 1)));
      outgoing.socket?.destroySoon();
      return;
    case 'drip': {
      const { bytes = 16, everyMs = 50 } = fault;
      writeHead().flushHeaders();
      for (let at = 0; at < body.length; at += bytes) {
        await pause(everyMs);
        if (outgoing.destroyed) return;
        outgoing.write(body.subarray(at, at + bytes));
      }
      outgoing.end();
    }
  }
}

/** Replaces a letter right after a quote, which is inside a string, by a byte that UTF-8 never has: decoded without care, the JSON still parses. */
function withBadByte(body: Buffer, chance: Chance): Buffer {
  const places = [...body.toString('latin1').matchAll(/(?<=")[A-Za-z]/g)].map(({ index }) => index);
  const spoiled = Buffer.from(body);
  const place = places[Math.floor(chance('byte') * places.length)];
  if (place !== undefined) spoiled[place] = 0xff;
  return spoiled;
}
