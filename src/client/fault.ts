import { type CallFacts, NetworkError, SluiceError, TimeoutError, type TimeoutPhase } from '../errors.js';
import { faultWords } from './fault-words.js';
import type { Redact } from './redact.js';

/** What a fault is read against. */
export interface FaultContext {
  readonly operation: string;
  readonly origin: string;
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly redact: Redact;
  readonly facts: CallFacts;
  /** How the attempts ended, for people; empty, or starts with a blank or a comma. */
  readonly note: string;
}

/**
 * Names what a dispatcher threw: `TimeoutError` for its three own clocks, `NetworkError` for all else. The cause is a
 * copy of name, code and message, because the original may hold what the peer sent or what was sent to it.
 */
export function faultOf(thrown: unknown, context: FaultContext): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const { operation, origin, facts, note } = context;
  const code = faultCode(thrown);
  const options = { ...facts, cause: copyOf(thrown, code, context.redact) };
  const phase = phaseOf(code);
  if (phase !== undefined) return new TimeoutError(operation, context[`${phase}Ms`], { ...options, phase, note });
  return new NetworkError(
    operation,
    `${operation} got no whole answer from ${origin} (${faultWords(code)})${note}`,
    options,
  );
}

function phaseOf(code: string): Exclude<TimeoutPhase, 'total'> | undefined {
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect';
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return 'headers';
  if (code === 'UND_ERR_BODY_TIMEOUT') return 'body';
  return undefined;
}

/** A code such as `ECONNREFUSED`; the first inner one when several addresses were tried. */
export function faultCode(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown fault';
  if ('code' in thrown && typeof thrown.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(thrown.code))
    return thrown.code;
  if (thrown instanceof Error && thrown.name === 'HTTPParserError') return 'no valid HTTP';
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return faultCode(thrown.errors[0]);
  return 'unknown fault';
}

function copyOf(thrown: unknown, code: string, redact: Redact): Error {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : code;
  const copy = new Error(redact(message));
  copy.name = thrown instanceof Error ? redact(thrown.name) : 'Error';
  return Object.assign(copy, { code: redact(code) });
}
