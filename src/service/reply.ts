import type { ServerResponse } from 'node:http';
import type { Refusal } from './refusal.js';

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
  const body = JSON.stringify(document);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...extra,
  };
  return { status, body, headers };
}

/** Sends a reply; node leaves the body out for HEAD. A response that is already gone is left alone. */
export function send(response: ServerResponse, { status, body, headers }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headers).end(body);
}
