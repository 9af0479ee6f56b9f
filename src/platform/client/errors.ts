import {
  type CallFacts,
  HttpError,
  NetworkError,
  SluiceError,
  TimeoutError,
  type TimeoutPhase,
} from '../../foundation/errors.js';
import type { PhaseLimits } from './transport.js';

/** Removes the api key from a text. */
export type Redact = (text: string) => string;

/** Shorter keys occur in any text by chance; a real one has dozens of characters. */
const shortestSecret = 6;

/**
 * Creates the function that every text from outside passes through before it enters an error: an error code may quote
 * the key, a redirect may carry it in its host, the message of an error may contain the request.
 */
export function redactor(apiKey: string): Redact {
  if (apiKey.length < shortestSecret) return (text) => text;
  const spellings = [apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)];
  const literals = spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Ignores case, since the URL parser writes hosts in lower case.
  const occurrence = new RegExp(literals.join('|'), 'gi');
  return (text) => text.replace(occurrence, '[redacted]');
}

/** The facts from which the error of a call is made, besides its cause. */
export interface ErrorContext {
  readonly operation: string;
  readonly origin: string;
  readonly limits: PhaseLimits;
  readonly redact: Redact;
  readonly facts: CallFacts;
  /** How the attempts ended, for people; from `attemptsNote`. */
  readonly note: string;
}

/** Descriptions of codes of undici and of its HTTP parser. Codes of the system, such as `ECONNREFUSED`, have none. */
const descriptions: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the connection ended before the answer did',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it is not as long as it says',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'it is larger than the dispatcher takes',
  UND_ERR_CLOSED: 'the dispatcher is closed',
  UND_ERR_DESTROYED: 'the dispatcher is closed',
  UND_ERR_ABORTED: 'the dispatcher gave the request up',
  UND_ERR_INVALID_ARG: 'the dispatcher does not take the request',
  UND_ERR_NOT_SUPPORTED: 'the dispatcher does not take the request',
  UND_ERR_PRX_TLS: 'the proxy allowed no secure connection',
  UND_ERR_REQ_RETRY: 'the retries of the dispatcher failed',
  // undici fails with an assertion at a status line such as `HTTP/1.1 000`.
  ERR_ASSERTION: 'invalid HTTP',
};

const phases: Readonly<Record<string, Exclude<TimeoutPhase, 'total'>>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'body',
};

/**
 * The error for what an attempt threw: `TimeoutError` for the three time-outs of the dispatcher, `NetworkError` for
 * every other error. The cause is a copy of name, code and message: the original may hold the request or the response.
 */
export function transportError(thrown: unknown, context: ErrorContext): SluiceError {
  const { operation, origin, limits, redact, facts, note } = context;
  if (thrown instanceof SluiceError) return thrown;
  const code = errorCode(thrown);
  const options = { ...facts, cause: copyOf(thrown, code, redact) };
  const phase = phases[code];
  if (phase !== undefined) return new TimeoutError(operation, limits[`${phase}Ms`], { ...options, phase, note });
  const failure = isUnreachable(code) ? 'could not connect to' : 'got no whole answer from';
  return new NetworkError(operation, `${operation} ${failure} ${origin} (${describe(code)})${note}`, options);
}

/** Reports whether a code of the system, such as `ECONNREFUSED`, says that nothing answers at an address. */
export function isUnreachable(code: string | undefined): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code ?? '');
}

/** Returns the code of an error, such as `ECONNREFUSED`; that of the first inner error when several addresses were tried. */
export function errorCode(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown fault';
  if ('code' in thrown && typeof thrown.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(thrown.code))
    return thrown.code;
  if (thrown instanceof Error && thrown.name === 'HTTPParserError') return 'invalid HTTP';
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return errorCode(thrown.errors[0]);
  return 'unknown fault';
}

/** The error of a call that the throttle blocked beyond its deadline. */
export function blockedError(operation: string, facts: CallFacts): HttpError {
  const until = seconds(facts.retryAfterMs ?? 0);
  const message = `${operation} was not sent: the platform takes no more requests for now, try again in ${until}`;
  return new HttpError(operation, message, { ...facts, status: 429 });
}

/** The error of a call whose `timeouts.totalMs` has passed. */
export function deadlineError(operation: string, totalMs: number, attempts: number): TimeoutError {
  const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
  if (attempts > 0) return new TimeoutError(operation, totalMs, { attempts, note: tries });
  return new TimeoutError(operation, totalMs, { attempts, note: ', nor was it sent: too many calls were waiting' });
}

/** How the attempts of a call ended, as the end of a message: empty, or beginning with a blank or a comma. */
export function attemptsNote({ attempts = 0, retryAfterMs }: CallFacts, isBudgetSpent: boolean): string {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  const budget = isBudgetSpent ? ', not tried again since the retry budget of the client is spent' : '';
  return `${tries}${budget}${retryAfterMs === undefined ? '' : `, try again in ${seconds(retryAfterMs)}`}`;
}

function describe(code: string): string {
  if (code.startsWith('HPE_')) return `invalid HTTP, ${code}`;
  return Object.hasOwn(descriptions, code) ? `${descriptions[code]}, ${code}` : code;
}

function copyOf(thrown: unknown, code: string, redact: Redact): Error {
  const message = thrown instanceof Error && thrown.message !== '' ? thrown.message : code;
  const copy = new Error(redact(message));
  copy.name = thrown instanceof Error ? redact(thrown.name) : 'Error';
  return Object.assign(copy, { code: redact(code) });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
