import * as z from 'zod';
import { type CallFacts, HttpError, type HttpFailure, ShapeError } from '../../foundation/errors.js';
import { endpoints, type Operation, type ResponseOf } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import type { ErrorContext, Redact } from './errors.js';
import type { ResponseHeaders } from './rate-limit.js';
import type { WireResponse } from './transport.js';

/** The table as its responses, each tied to its name, which TypeScript cannot infer from the table itself. */
const responses: { readonly [Name in Operation]: { readonly response: z.ZodType<ResponseOf<Name>> } } = endpoints;

/**
 * Reads a response by its operation's row (§4). Only 200 is success (§7). Throws `HttpError` for any other status and
 * `ShapeError` for a 200 whose body is not what §2 gives; neither shows any of the body.
 */
export function readResponse<Name extends Operation>(
  name: Name,
  response: WireResponse,
  context: ErrorContext,
): ResponseOf<Name> {
  const { operation, facts, redact } = context;
  if (response.status !== 200) throw statusError(response, context);
  try {
    const value = readJson(operation, response, redact, '; the base url should end in `/v3`');
    return parse(responses[name].response, value, operation);
  } catch (error) {
    throw error instanceof ShapeError ? withoutChosenNames(error, facts) : error;
  }
}

/** Names in `entities` (§2.4), the only ones in a path that the body chooses; those of the document stay. */
const chosenName = /(?<=\.entities)(?:\.(?!(?:sender|receiver|by|on|for)(?![\w$]))[\w$]+|\["(?:[^"\\]|\\.)*"\])/g;

/** The same error without what the body chose, with the facts of the call. */
function withoutChosenNames({ source, path, expected, parts }: ShapeError, facts: CallFacts): ShapeError {
  return new ShapeError(source, path.replace(chosenName, '[…]'), expected, { ...facts, hint: parts?.hint });
}

/** The names in use; the document states none (§7). */
const requestIdHeaders = ['x-request-id', 'request-id'];

/** The platform's id of a response, when it is one that can be shown. */
export function readRequestId(headers: ResponseHeaders, redact: Redact): string | undefined {
  const value = requestIdHeaders.map((name) => headers[name]).find((each) => each !== undefined);
  return typeof value === 'string' && /^[\w.:+/=-]{1,128}$/.test(value) ? redact(value) : undefined;
}

/**
 * Reads the body of a response as JSON. Throws `ShapeError` of `source`, whose cause is not the parser's own error, since that
 * quotes the body. `hint` ends the message about a body that is not JSON.
 */
export function readJson(
  source: string,
  { headers, body, maxBytes }: WireResponse,
  redact: Redact,
  hint?: string,
): unknown {
  const wrong = (what: string, ending?: string): ShapeError =>
    new ShapeError(source, 'the whole value', what, { hint: ending });
  const notJson = (how: string): ShapeError => wrong(`must be JSON, and ${how}`, hint);
  if (body === undefined) throw wrong(`is larger than ${maxBytes} bytes`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity') {
    throw wrong('came compressed, though `identity` was requested');
  }
  const type = foreignType(headers['content-type']);
  if (type !== undefined) throw notJson(`came as ${redact(type)}`);
  if (body.byteLength === 0) throw notJson('is empty');
  let text: string;
  try {
    text = decode(body);
  } catch {
    throw notJson('is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw notJson('is not');
  }
}

function decode(body: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(body);
}

/** The media type of a response, when it is another than JSON's. Many servers send none. */
function foreignType(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const type = String(header).split(';')[0]!.trim().toLowerCase();
  if (type === '' || /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type)) return undefined;
  return /^[\w.+-]{1,50}\/[\w.+-]{1,80}$/.test(type) ? `\`${type}\`` : 'another type';
}

/**
 * Redirects are never followed, since the key would be sent along. Of a redirect's target only the origin is shown: its
 * path and query may contain anything.
 */
function statusError(response: WireResponse, { operation, origin, facts, note, redact }: ErrorContext): HttpError {
  const { status } = response;
  const target = status >= 300 && status < 400 ? targetOrigin(response.headers.location, origin) : undefined;
  if (target !== undefined) {
    const what = `${operation} was redirected to ${redact(target)} (status ${status})`;
    return new HttpError(
      operation,
      { fact: `${what}, which is not followed`, advice: 'check-base-url' },
      { ...facts, status },
    );
  }
  const failure = { ...facts, ...readFailure(response, redact) };
  const code = failure.platformCode === undefined ? '' : ` (${failure.platformCode})`;
  return new HttpError(operation, `${operation} was answered with status ${status}${code}${note}`, failure);
}

function targetOrigin(location: string | string[] | undefined, origin: string): string | undefined {
  if (typeof location !== 'string') return undefined;
  try {
    const target = new URL(location, origin);
    return /^https?:$/.test(target.protocol) ? target.origin : undefined;
  } catch {
    return undefined;
  }
}

/** Bounds both the fields and the reasons of one field, of which a hostile body could hold any number. */
const maxDetails = 50;

/**
 * The body of a failure: §7 shows none; live platforms send `{ error: { code, message, details } }`, of which code and
 * details are kept when they have the expected shape.
 */
const failureSchema = z.object({
  error: z.object({
    code: z
      .string()
      .regex(/^[\w.-]{1,100}$/)
      .optional()
      .catch(undefined),
    // No record: zod leaves the name `__proto__` out of those.
    details: z.custom<object>((value) => typeof value === 'object' && !Array.isArray(value)).catch({}),
  }),
});

function readFailure({ status, body }: WireResponse, redact: Redact): HttpFailure {
  const { code, details } = parseFailure(body);
  const kept = Object.entries(details ?? {})
    .filter((entry): entry is [string, string[]] => z.array(z.string()).safeParse(entry[1]).success)
    .slice(0, maxDetails)
    .map(([field, reasons]) => [redact(field), reasons.slice(0, maxDetails).map(redact)] as const);
  return {
    status,
    platformCode: code === undefined ? undefined : redact(code),
    details: kept.length === 0 ? undefined : Object.fromEntries(kept),
  };
}

function parseFailure(body: Uint8Array = new Uint8Array()): z.infer<typeof failureSchema>['error'] {
  try {
    return failureSchema.parse(JSON.parse(decode(body))).error;
  } catch {
    return { code: undefined, details: {} };
  }
}
