import type * as z from 'zod';
import { endpoints, type Operation, operationLabel, type ResponseOf } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import { HttpError, ShapeError } from '../errors.js';
import type { Answer } from './exchange.js';
import { readFailure } from './failure.js';
import type { Redact } from './redact.js';

/** The table as its responses, each tied to its name, which TypeScript cannot see through the table itself. */
const responses: { readonly [Name in Operation]: { readonly response: z.ZodType<ResponseOf<Name>> } } = endpoints;

/**
 * Reads an answer as its operation's row says (§4). Only 200 is success (§7). Throws `HttpError` for any other status
 * and `ShapeError` for a 200 whose body is not what §2 gives; neither shows any of the body.
 */
export function readAnswer<Name extends Operation>(
  name: Name,
  answer: Answer,
  origin: string,
  redact: Redact,
): ResponseOf<Name> {
  const operation = operationLabel(name);
  if (answer.status !== 200) throw failed(operation, answer, origin, redact);
  return shaped(name, readJson(operation, answer), redact);
}

/** A field's path can hold a key of the body, so it is redacted as well. */
function shaped<Name extends Operation>(name: Name, value: unknown, redact: Redact): ResponseOf<Name> {
  try {
    return parse(responses[name].response, value, operationLabel(name));
  } catch (error) {
    if (error instanceof ShapeError && redact(error.path) !== error.path) {
      throw new ShapeError(error.source, redact(error.path), 'has an unexpected shape');
    }
    throw error;
  }
}

/** The parser's own error is left out of the cause: it quotes what it could not read. */
function readJson(operation: string, answer: Answer): unknown {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity') {
    throw new ShapeError(operation, 'the whole value', 'came compressed, though `identity` was asked for');
  }
  if (answer.body.byteLength === 0) throw new ShapeError(operation, 'the whole value', 'should be JSON, and is empty');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  } catch {
    throw new ShapeError(operation, 'the whole value', 'should be JSON, and is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError(operation, 'the whole value', 'should be JSON, and is not');
  }
}

/**
 * Redirects are never followed: the key would go along. A target's path and query may hold anything, so only its origin
 * shows.
 */
function failed(operation: string, answer: Answer, origin: string, redact: Redact): HttpError {
  const { status } = answer;
  const target = status >= 300 && status < 400 ? targetOrigin(answer.headers.location, origin) : undefined;
  if (target !== undefined) {
    const what = `${operation} was redirected to ${redact(target)} (status ${status})`;
    return new HttpError(operation, `${what}, which is not followed: check \`baseUrl\``, { status });
  }
  const failure = readFailure(answer, redact);
  const code = failure.platformCode === undefined ? '' : ` (${failure.platformCode})`;
  return new HttpError(operation, `${operation} was answered with status ${status}${code}`, failure);
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
