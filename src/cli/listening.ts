/** The options and the request log of commands that listen. */

import type { OnRequest, ServedRequest } from '../foundation/listener/listen.js';
import { isLoopback } from '../foundation/requests/loopback.js';
import { Refusal } from '../foundation/requests/refusal.js';
import type { OptionTable, OptionValues, RunContext } from './command.js';
import { printWords } from './io.js';
import { escapeText } from './terminal/text.js';

export const listenOptions = {
  port: { type: 'string', integer: { min: 0, max: 65_535 }, help: 'port to listen on; 0 takes a free one (0)' },
  host: { type: 'string', value: 'HOST', help: 'address to listen on (127.0.0.1)' },
  log: { type: 'boolean', help: 'print each request on standard error: time, method, path, status, milliseconds' },
} as const satisfies OptionTable;

type Values = OptionValues<typeof listenOptions>;

/**
 * Returns a function that prints requests without their queries, headers and bodies. Undefined
 * without `--log`.
 */
export function requestLog({ log }: Values, context: RunContext): OnRequest | undefined {
  return log ? (request) => void printWords(context, requestLine(request)) : undefined;
}

function requestLine({ method, path, status, tookMs }: ServedRequest): string {
  const outcome = status === undefined ? 'cut off' : String(status);
  return `${new Date().toISOString()} ${escapeText(`${method} ${path}`)} ${outcome} ${Math.round(tookMs)} ms\n`;
}

const json = /^application\/json[ \t]*(?:;|$)/i;

const orSetKey = 'or set a key: SLUICE_TOKEN, or SLUICE_BASIC to user:password';

/**
 * Throws a `Refusal` for requests that a web page could send. 403: `host` is not loopback, as after
 * a page made a name of its own point here. 415: the body is not declared as JSON, which a page
 * cannot send without asking first.
 */
export function demandLocalRequest({ method, headers }: Request): void {
  const host = headers.get('host');
  if (host !== null && !isLoopback(host)) {
    throw new Refusal(
      403,
      `no key is set, so the header \`host\` must name localhost, 127.0.0.1 or [::1]: send the request there, ${orSetKey}`,
    );
  }
  if (method !== 'POST' || json.test(headers.get('content-type') ?? '')) return;
  throw new Refusal(
    415,
    `no key is set, so a body must be declared as json: send the header \`content-type: application/json\`, ${orSetKey}`,
  );
}
