/** Options and words that the commands that listen share. */
import type { OnRequest, ServedRequest } from '../foundation/listener/listen.js';
import type { OptionTable, OptionValues, RunContext } from './command.js';
import { printWords } from './io.js';
import { escapeText } from './terminal/text.js';

export const listenOptions = {
  port: { type: 'string', integer: { min: 0, max: 65_535 }, help: 'port to listen on; 0 takes a free one (0)' },
  host: { type: 'string', value: 'HOST', help: 'address to listen on (127.0.0.1)' },
  log: { type: 'boolean', help: 'print each request on standard error: time, method, path, status, milliseconds' },
} as const satisfies OptionTable;

type Values = OptionValues<typeof listenOptions>;

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Returns a function that prints requests, with `--log`: nothing of their queries, headers and bodies. */
export function requestLog({ log }: Values, context: RunContext): OnRequest | undefined {
  return log ? (request) => void printWords(context, requestLine(request)) : undefined;
}

function requestLine({ method, path, status, tookMs }: ServedRequest): string {
  const outcome = status === undefined ? 'cut off' : String(status);
  return `${new Date().toISOString()} ${escapeText(`${method} ${path}`)} ${outcome} ${Math.round(tookMs)} ms\n`;
}
