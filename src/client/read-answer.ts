import type * as z from 'zod';
import { endpoints, type Operation, operationLabel, type ResponseOf } from '../contract/endpoints.js';
import { parse } from '../contract/parse.js';
import { HttpError, ShapeError } from '../errors.js';
import type { Answer } from './exchange.js';
import { readFailure } from './failure.js';
import type { Redact } from './redact.js';
import type { Settled } from './settle.js';

/** The table as its responses, each tied to its name, which TypeScript cannot see through the table itself. */
const responses: { readonly [Name in Operation]: { readonly response: z.ZodType<ResponseOf<Name>> } } = endpoints;

/**
 * Reads an answer as its operation's row says (§4). Only 200 is success (§7). Throws `HttpError` for any other status
 * and `ShapeError` for a 200 whose body is not what §2 gives; neither shows any of the body.
 */
export function readAnswer<Name extends Operation>(
  name: Name,
  settled: Settled,
  origin: string,
  redact: Redact,
): ResponseOf<Name> {
  const operation = operationLabel(name);
  const { answer, facts } = settled;
  if (answer.status !== 200) throw failed(operation, settled, origin, redact);
  try {
    return shaped(name, readJson(operation, answer, redact), redact);
  } catch (error) {
    throw error instanceof ShapeError ? Object.assign(error, facts) : error;
  }
}

/** Longer than any path of §2; the rest of one is keys that the peer made up. */
const longestPath = 200;

/** A field's path can hold keys of the body, so it is redacted and kept short. */
function shaped<Name extends Operation>(name: Name, value: unknown, redact: Redact): ResponseOf<Name> {
  const operation = operationLabel(name);
  try {
    return parse(responses[name].response, value, operation);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const { path } = error;
    const shown = redact(path);
    if (shown === path && path.length <= longestPath) throw error;
    throw new ShapeError(
      operation,
      shown.length > longestPath ? `${shown.slice(0, longestPath)}…` : shown,
      'has an unexpected shape',
    );
  }
}

/** The parser's own error is left out of the cause: it quotes what it could not read. */
function readJson(operation: string, answer: Answer, redact: Redact): unknown {
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity') {
    throw new ShapeError(operation, 'the whole value', 'came compressed, though `identity` was asked for');
  }
  const type = foreignType(answer.headers['content-type']);
  if (type !== undefined)
    throw new ShapeError(operation, 'the whole value', `should be JSON, and came as ${redact(type)}`);
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

/** The media type of an answer, when it names another one than JSON's. Many servers name none. */
function foreignType(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const type = String(header).split(';')[0]!.trim().toLowerCase();
  if (type === '' || /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type)) return undefined;
  return /^[\w.+-]{1,50}\/[\w.+-]{1,80}$/.test(type) ? `\`${type}\`` : 'another type';
}

/**
 * Redirects are never followed: the key would go along. A target's path and query may hold anything, so only its origin
 * shows.
 */
function failed(operation: string, { answer, facts, note }: Settled, origin: string, redact: Redact): HttpError {
  const { status } = answer;
  const target = status >= 300 && status < 400 ? targetOrigin(answer.headers.location, origin) : undefined;
  if (target !== undefined) {
    const what = `${operation} was redirected to ${redact(target)} (status ${status})`;
    return new HttpError(operation, `${what}, which is not followed: check \`baseUrl\``, { ...facts, status });
  }
  const failure = { ...facts, ...readFailure(answer, redact) };
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
