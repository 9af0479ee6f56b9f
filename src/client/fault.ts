import { NetworkError, SluiceError, TimeoutError } from '../errors.js';
import type { Redact } from './redact.js';

/** What a fault is read against. */
export interface FaultContext {
  readonly operation: string;
  readonly origin: string;
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly redact: Redact;
}

/**
 * Names what a dispatcher threw: `TimeoutError` for its three own clocks, `NetworkError` for all else. The cause is a
 * copy of name, code and message, because the original may hold what the peer sent or what was sent to it.
 */
export function faultOf(thrown: unknown, context: FaultContext): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const { operation, origin } = context;
  const code = codeOf(thrown);
  const cause = copyOf(thrown, code, context.redact);
  const afterMs = clockOf(code, context);
  if (afterMs !== undefined) return new TimeoutError(operation, afterMs, { cause });
  return new NetworkError(operation, `${operation} got no whole answer from ${origin} (${code})`, { cause });
}

function clockOf(code: string, context: FaultContext): number | undefined {
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return context.connectMs;
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return context.headersMs;
  if (code === 'UND_ERR_BODY_TIMEOUT') return context.bodyMs;
  return undefined;
}

/** A code such as `ECONNREFUSED`; the first inner one when several addresses were tried. */
function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown fault';
  if ('code' in thrown && typeof thrown.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(thrown.code))
    return thrown.code;
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0]);
  return 'unknown fault';
}

function copyOf(thrown: unknown, code: string, redact: Redact): Error {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : code;
  const copy = new Error(redact(message));
  copy.name = thrown instanceof Error ? redact(thrown.name) : 'Error';
  return Object.assign(copy, { code: redact(code) });
}
