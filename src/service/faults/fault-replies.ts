import { Refusal } from '../refusal.js';
import { type Reply, refusalReply } from '../reply.js';

const advice = 'this fault was asked for, by the plan of faults or by the request';

/** Refuses as an overloaded or broken platform does. */
export function statusReply(status: number): Reply {
  return refusalReply(new Refusal(status, codes[status] ?? 'ERR_OPERATION_FAILED', `a fault with ${status}`, advice));
}

const codes: Readonly<Record<number, string>> = { 429: 'ERR_TOO_MANY_REQUESTS', 500: 'ERR_EXCEPTION' };

/** 429 with the headers that live platforms send. `retryAfter` goes out as it stands. */
export function rateLimitedReply(retryAfter: number | string, now: number): Reply {
  const { status, body, headers } = statusReply(429);
  const reset = typeof retryAfter === 'number' ? { 'x-rate-limit-reset': Math.floor(now / 1_000) + retryAfter } : {};
  return { status, body, headers: { ...headers, 'retry-after': retryAfter, ...reset } };
}

/** A page for people, where a client expects JSON. */
export function htmlReply(status: number): Reply {
  const body = '<!doctype html>\n<title>Please wait</title>\n<h1>Checking your browser</h1>\n';
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body) };
  return { status, body, headers };
}
