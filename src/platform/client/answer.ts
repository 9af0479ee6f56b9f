/**
 * Ends a call: a response becomes a result or an error, and a fault of the connection becomes an
 * error. No error shows the key, or more of a body than its codes.
 */
import * as z from 'zod';
import {
  type CallFacts,
  HttpError,
  type HttpFailure,
  isUnreachable,
  NetworkError,
  ShapeError,
  SluiceError,
  TimeoutError,
  type TimeoutPhase,
} from '../../foundation/errors.js';
import { endpoints, type Operation, type ResponseOf } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import type { Settings } from './options.js';

/** A response that was read. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body; absent if it is too large, or if that of a failure broke off. */
  readonly body: Uint8Array | undefined;
}

/** The bounds of one exchange: milliseconds, and the bytes that a response may have. */
export type Limits = Pick<Settings, 'connectMs' | 'headersMs' | 'bodyMs' | 'maxResponseBytes'>;

/** The facts from which the error of a call is made. */
export interface ErrorContext {
  readonly operation: string;
  readonly origin: string;
  readonly limits: Limits;
  /** Removes secrets from a text of the peer. */
  readonly redact: (text: string) => string;
}

/**
 * The table of endpoints by the types of their responses, which TypeScript cannot infer from the
 * table itself.
 */
const responses: { readonly [Name in Operation]: { readonly response: z.ZodType<ResponseOf<Name>> } } = endpoints;

/**
 * Reads an answer by the row of its operation (§4). Only 200 is success (§7). Throws `HttpError`
 * for any other status and `ShapeError` for a 200 whose body is not what §2 gives; neither shows
 * any of the body.
 */
export function readResponse<Name extends Operation>(
  name: Name,
  answer: Answer,
  context: ErrorContext,
  attempts: number,
  note: string,
): ResponseOf<Name> {
  const { operation, limits, redact } = context;
  const facts = { attempts, requestId: requestIdOf(answer, redact) };
  if (answer.status !== 200) throw statusError(answer, context, facts, note);
  try {
    const hint = '; the base url should end in `/v3`';
    const value = readJson(operation, answer, limits.maxResponseBytes, redact, hint);
    return parse(responses[name].response, value, operation);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const { source, path, expected, parts } = error;
    throw new ShapeError(source, path.replace(chosenName, '[…]'), expected, { ...facts, hint: parts?.hint });
  }
}

/**
 * Matches names in `entities` (§2.4), the only ones in a path that the body chooses; names of the
 * document do not match.
 */
const chosenName = /(?<=\.entities)(?:\.(?!(?:sender|receiver|by|on|for)(?![\w$]))[\w$]+|\["(?:[^"\\]|\\.)*"\])/g;

/**
 * Reads a body as JSON. Throws `ShapeError` of `source`, which never quotes the body; `hint` ends
 * it if the body is not JSON.
 */
export function readJson(
  source: string,
  { headers, body }: Answer,
  maxBytes: number,
  redact: ErrorContext['redact'],
  hint?: string,
): unknown {
  const wrong = (what: string, ending?: string): ShapeError =>
    new ShapeError(source, 'the whole value', what, { hint: ending });
  const notJson = (how: string): ShapeError => wrong(`must be JSON, and ${how}`, hint);
  if (body === undefined) throw wrong(`is larger than ${maxBytes} bytes`);
  if (!/^\s*(?:identity\s*)?$/i.test(String(headers['content-encoding'] ?? ''))) {
    throw wrong('came compressed, though `identity` was requested');
  }
  // Many servers send no type.
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase();
  if (type !== '' && !/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type)) {
    throw notJson(`came as ${/^[\w.+-]{1,50}\/[\w.+-]{1,80}$/.test(type) ? `\`${redact(type)}\`` : 'another type'}`);
  }
  if (body.byteLength === 0) throw notJson('is empty');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw notJson('is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw notJson('is not');
  }
}

/**
 * Returns the error of a status other than 200. It shows no more of a redirect than the target's
 * origin, since the rest may hold anything.
 */
function statusError(answer: Answer, context: ErrorContext, known: CallFacts, note: string): HttpError {
  const { operation, origin, redact } = context;
  const { status, headers } = answer;
  const facts = { ...known, ...readFailure(answer, redact), retryAfterMs: retryAfterMs(headers) };
  const isRedirect = status >= 300 && status < 400 && URL.canParse(String(headers.location), origin);
  const target = isRedirect ? new URL(String(headers.location), origin) : undefined;
  if (target !== undefined && /^https?:$/.test(target.protocol)) {
    const fact = `${operation} was redirected to ${redact(target.origin)} (status ${status}), which is not followed`;
    return new HttpError(operation, { fact, advice: 'check-base-url' }, facts);
  }
  const code = facts.platformCode === undefined ? '' : ` (${facts.platformCode})`;
  return new HttpError(operation, `${operation} was answered with status ${status}${code}${note}`, facts);
}

/**
 * The most fields of the details of a failure, and the most reasons of one field, that are kept.
 */
const maxDetails = 50;

/**
 * The body of a failure. §7 does not show it; live platforms send `{ error: { code, message,
 * details } }`, of which code and details are kept if they have the expected shape.
 */
const failureSchema = z.object({
  error: z.object({
    code: z
      .string()
      .regex(/^[\w.-]{1,100}$/)
      .optional()
      .catch(undefined),
    // A record is not used, since zod leaves the name `__proto__` out of records.
    details: z.custom<object>((value) => typeof value === 'object' && !Array.isArray(value)).catch({}),
  }),
});

function readFailure({ status, body }: Answer, redact: ErrorContext['redact']): HttpFailure {
  try {
    const { error } = failureSchema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    const details = Object.entries(error.details ?? {})
      .filter((entry): entry is [string, string[]] => z.array(z.string()).safeParse(entry[1]).success)
      .slice(0, maxDetails)
      .map(([field, reasons]) => [redact(field), reasons.slice(0, maxDetails).map(redact)] as const);
    return {
      status,
      platformCode: error.code === undefined ? undefined : redact(error.code),
      details: details.length === 0 ? undefined : Object.fromEntries(details),
    };
  } catch {
    return { status };
  }
}

/**
 * Returns the platform's id of a response, if it can be shown. The names are those in use; the
 * document does not state them (§7).
 */
function requestIdOf({ headers }: Answer, redact: ErrorContext['redact']): string | undefined {
  const value = headers['x-request-id'] ?? headers['request-id'];
  return typeof value === 'string' && /^[\w.:+/=-]{1,128}$/.test(value) ? redact(value) : undefined;
}

/**
 * The forms of a date in a header, two of them obsolete (RFC 9110 §5.6.7). `Date.parse` alone reads
 * `fast 1` as a day in 2001.
 */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2} (?:GMT|\d{4})$/;

/** Returns a date of a header in milliseconds since 1970; `NaN` if it is not a date. */
function dateOf(header: unknown): number {
  const text = String(header).trim();
  return httpDate.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
}

/**
 * Returns the delay that `Retry-After` demands, in milliseconds: seconds, with or without a
 * fraction, a date, or seconds since 1970; both of the latter count from the response's own `Date`.
 * The longest of several counts. `undefined` without the header.
 */
export function retryAfterMs(headers: Answer['headers']): number | undefined {
  const now = dateOf(headers.date) || Date.now();
  const delays = [headers['retry-after'] ?? []].flat().map((text) => {
    if (!/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return Math.max(0, dateOf(text) - now);
    const ms = Math.min(Math.ceil(Number(text) * 1000), Number.MAX_SAFE_INTEGER);
    // A number from 2017 on would be a delay of more than 47 years.
    return ms < 1.5e12 || ms >= 1e14 ? ms : Math.max(0, ms - now);
  });
  const known = delays.filter((ms) => !Number.isNaN(ms));
  return known.length === 0 ? undefined : Math.max(...known);
}

/**
 * Descriptions of codes of undici and of its HTTP parser. Codes of the system, such as
 * `ECONNREFUSED`, have no description.
 */
const descriptions: readonly (readonly [RegExp, string])[] = [
  [/^UND_ERR_SOCKET$/, 'the connection ended before the answer did'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'its headers are too large'],
  [/^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/, 'it is not as long as it says'],
  [/^UND_ERR_(?:CLOSED|DESTROYED)$/, 'the dispatcher is closed'],
  // undici fails with an assertion at a status line such as `HTTP/1.1 000`.
  [/^(?:HPE_\w*|ERR_ASSERTION)$/, 'invalid HTTP'],
];

/**
 * Returns the error for what an attempt threw: `TimeoutError` for the three time-outs of the
 * dispatcher, `NetworkError` for every other one. The cause is a copy of name, code and message,
 * since the original may hold the request or the response.
 */
export function transportError(thrown: unknown, context: ErrorContext, attempts: number, note: string): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const { operation, origin, limits, redact } = context;
  const code = errorCode(thrown);
  const { name, message } = thrown instanceof Error ? thrown : new Error(code);
  const cause = Object.assign(new Error(redact(message)), { name: redact(name), code: redact(code) });
  const phase = /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.exec(code)?.[1]?.toLowerCase() as
    | Exclude<TimeoutPhase, 'total'>
    | undefined;
  if (phase !== undefined) return new TimeoutError(operation, limits[`${phase}Ms`], { attempts, cause, phase, note });
  const failure = isUnreachable(code) ? 'could not connect to' : 'got no whole answer from';
  const description = descriptions.find(([codes]) => codes.test(code))?.[1];
  const described = redact(description === undefined ? code : `${description}, ${code}`);
  return new NetworkError(operation, `${operation} ${failure} ${origin} (${described})${note}`, { attempts, cause });
}

/**
 * Returns the code of an error, such as `ECONNREFUSED`; that of the first inner error if several
 * addresses were tried.
 */
export function errorCode(thrown: unknown): string {
  const { code, name, errors } = (thrown ?? {}) as { code?: unknown; name?: unknown; errors?: unknown[] };
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code;
  if (name === 'HTTPParserError') return 'invalid HTTP';
  return Array.isArray(errors) && errors.length > 0 ? errorCode(errors[0]) : 'unknown fault';
}

/** Shorter keys occur in any text by chance; a real one has dozens of characters. */
const shortestSecret = 6;

/**
 * Returns the function that every text from outside passes through before it enters an error: it
 * removes the key.
 */
export function redactor(apiKey: string): (text: string) => string {
  if (apiKey.length < shortestSecret) return (text) => text;
  const spellings = [apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)];
  const literals = spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Ignores case, since the URL parser writes hosts in lower case.
  const occurrence = new RegExp(literals.join('|'), 'gi');
  return (text) => text.replace(occurrence, '[redacted]');
}
