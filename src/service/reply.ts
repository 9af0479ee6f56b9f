import type { ServerResponse } from 'node:http';
import { JsonText } from './json-text.js';
import type { Refusal } from './refusal.js';
import { tellBug, termsOf } from './request-terms.js';

/** What goes back: a status, a JSON body, and headers beside the usual ones. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** A 200 with its document (§4: success is always 200 and JSON). */
export function success(document: object): Reply {
  return asJson(200, document, {});
}

/** A refusal in the error shape that platforms send. */
export function refusalReply({ status, code, message, advice, details, headers }: Refusal): Reply {
  const error = {
    message,
    devMessage: advice,
    source: 'chat-api',
    code,
    ...(details === undefined ? {} : { details }),
  };
  return asJson(status, { error }, headers);
}

function asJson(status: number, document: object, extra: Readonly<Record<string, string>>): Reply {
  const body = document instanceof JsonText ? document.text : JSON.stringify(document);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...extra,
  };
  return { status, body, headers };
}

/** The 204 of `OPTIONS`: what the path takes, and no body. */
export function allowReply(methods: readonly string[]): Reply {
  return { status: 204, body: '', headers: { allow: methods.join(', ') } };
}

/** The same reply, as the last of its connection. */
export function closing(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, connection: 'close' } };
}

/**
 * Sends a reply; node leaves the body out for HEAD. A response that is already gone is left alone, and one that its client does
 * not take in time is cut off. Never throws.
 */
export function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  try {
    response.writeHead(status, headers).end(body);
  } catch (error) {
    tellBug(response.req, error);
    response.destroy();
    return;
  }
  // With nothing left to write the kernel has all of it, which is the way of nearly every answer.
  if ((response.socket?.writableLength ?? 0) === 0) return;
  const timer = setTimeout(() => response.destroy(), termsOf(response.req).limits.sendMs);
  response.once('close', () => clearTimeout(timer));
}
