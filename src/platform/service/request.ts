/** What a request says, read and checked: what it accepts, its target, its query and its body. */
import type { IncomingMessage } from 'node:http';
import { parseAccept } from 'hono/utils/accept';
import * as z from 'zod';
import { readBytes } from '../../foundation/listener/read-bytes.js';
import { isSound, splitTarget } from '../../foundation/listener/target.js';
import { problems } from './errors.js';

/**
 * Throws a `Problem` (406) unless a header `accept` takes JSON (RFC 9110, 12.5.1): of the ranges that take it in, the most specific
 * decides, and only a weight of 0 says no. Without the header anything goes.
 */
export function demandJsonAccepted({ headers: { accept = '' } }: Pick<IncomingMessage, 'headers'>): void {
  if (accept.trim() === '') return;
  const weights = new Map(parseAccept(accept).map(({ type, q }) => [type.toLowerCase(), q]));
  const weight = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  if (weight === 0) throw problems.notAcceptable();
}

/** Throws a `Problem` (400) for broken percent escapes: read without care they stand for the characters they are written with. */
export function demandSoundTarget(request: Pick<IncomingMessage, 'url'>): void {
  const [path, query] = splitTarget(request);
  if (!isSound(path)) throw problems.malformed('path');
  if (!isSound(query)) throw problems.malformed('query');
}

/**
 * Reads a query by its schema. Numbers and flags are written as text; lists come comma-joined, repeated, with `[]`, or all of it;
 * an empty value is none, but for `limit`; unknown parameters are left alone. Throws a `Problem` (400) that names every wrong one.
 */
export function readQuery<Schema extends z.ZodObject>(schema: Schema, search: URLSearchParams): z.infer<Schema> {
  const values: Record<string, unknown> = {};
  const wrong: Record<string, string[]> = {};
  for (const [name, parameter] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    const { type } = parameter instanceof z.ZodOptional ? (parameter.unwrap() as z.ZodType) : parameter;
    const written = [...search.getAll(name), ...(type === 'array' ? search.getAll(`${name}[]`) : [])];
    const given = written.filter((value) => value !== '' || name === 'limit');
    if (type === 'array') {
      const items = given.flatMap((value) => value.split(',')).filter((item) => item !== '');
      if (items.length > 0) values[name] = items;
    } else if (given.length > 1) wrong[name] = ['must be given once'];
    else if (given[0] !== undefined) values[name] = readValue(type, given[0]);
  }
  const { data, error } = schema.safeParse(values);
  for (const { path, message } of error?.issues ?? []) wrong[String(path[0])] ??= [message];
  if (Object.keys(wrong).length > 0) throw problems.badRequest(wrong);
  return data as z.infer<Schema>;
}

/** What is not written as its type should be stays text, which the schema does not take. */
function readValue(type: string, written: string): unknown {
  if (type === 'boolean' && /^(?:true|false|[01])$/.test(written)) return written === 'true' || written === '1';
  return type === 'number' && /^-?\d+$/.test(written) ? Number(written) : written;
}

/**
 * Reads the body of a request as a JSON object; nothing sent is an empty one. Throws a `Problem`: 413 for too large a body, 415 when
 * not declared as JSON, 400 for anything that is not a JSON object. Rejects with another error when the request breaks off.
 */
export async function readBody(request: IncomingMessage, most: number): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBytes(request, most);
  if (bytes === undefined) throw problems.tooLarge(most);
  if (bytes.length === 0) return {};
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const isJson =
    /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim()) && encoding.trim().toLowerCase() === 'identity';
  if (!isJson) throw problems.notJson();
  const value = fromJson(bytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw problems.badRequest({ body: ['must be a json object'] });
}

function fromJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw problems.badRequest({ body: ['must be json in utf-8'] });
  }
}
