/** Reads and checks a request: key, acting user, target, query and body. */
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { isSound, splitTarget } from '../../foundation/listener/target.js';
import { decodeJson, type IncomingBody, readBody } from '../../foundation/requests/body.js';
import { isSameKey } from '../../foundation/requests/keys.js';
import type { Endpoint } from '../contract/endpoints.js';
import { problems } from './errors.js';
import type { UserRecord } from './store.js';

type Headers = Pick<IncomingMessage, 'headers'>;

/** Throws a `Problem` (401) unless a request carries the key in its header `apikey` (§5). */
export function demandKey({ headers }: Headers, apiKey: string): void {
  // Node joins a header that is sent twice by a comma, which no key has.
  const given = String(headers.apikey ?? '');
  if (given === '') throw problems.noApiKey();
  if (!isSameKey(given, apiKey)) throw problems.wrongApiKey();
}

/**
 * Returns the acting user of the header `onBehalfOf` (§5), if the operation has one. Throws a
 * `Problem`: 400 if it is required and missing, 404 if the user does not exist.
 */
export function findActor(
  { onBehalfOf }: Endpoint,
  { headers }: Headers,
  users: ReadonlyMap<string, UserRecord>,
): UserRecord | undefined {
  if (onBehalfOf === 'none') return undefined;
  const uid = decodeHeader(String(headers.onbehalfof ?? ''));
  if (uid === '') {
    if (onBehalfOf === 'optional') return undefined;
    throw problems.badRequest({ onBehalfOf: ['must be a header with the uid of the acting user'] });
  }
  const user = users.get(uid);
  if (user === undefined) throw problems.noSuchUser(uid);
  return user;
}

/** Decodes header bytes as UTF-8, as curl sends them, or else as the Latin-1 that `fetch` sends. */
function decodeHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/**
 * Throws a `Problem` (400) for broken percent escapes: they would be read as the characters with
 * which they are written.
 */
export function demandSoundTarget(request: Pick<IncomingMessage, 'url'>): void {
  const [path, query] = splitTarget(request);
  if (!isSound(path)) throw problems.malformed('path');
  if (!isSound(query)) throw problems.malformed('query');
}

/**
 * Reads a query by its schema. Numbers and flags are written as text; lists come comma-joined,
 * repeated, with `[]`, or all of it; an empty value counts as absent, except for `limit`; unknown
 * parameters are ignored. Throws a `Problem` (400) that names every wrong one.
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

/** Reads a value as its type is written. Any other value stays text, which the schema refuses. */
function readValue(type: string, written: string): unknown {
  if (type === 'boolean' && /^(?:true|false|[01])$/.test(written)) return written === 'true' || written === '1';
  return type === 'number' && /^-?\d+$/.test(written) ? Number(written) : written;
}

/** The largest body. */
const mostBytes = 1024 * 1024;

/**
 * Reads the body of a request as a JSON object; an empty body is an empty one. Throws a `Problem`:
 * 413 for too large a body, 415 for one not declared as JSON, 400 for anything but a JSON object.
 * Rejects with another error when the request breaks off.
 */
export async function readJsonObject(request: Request, incoming: IncomingMessage): Promise<object> {
  const bytes = await readBody(request, incoming as IncomingBody, mostBytes);
  if (bytes === undefined) throw problems.tooLarge(mostBytes);
  if (bytes.length === 0) return {};
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = incoming.headers;
  const isJson = /^[\w.-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type.trim());
  if (!isJson || encoding.trim().toLowerCase() !== 'identity') throw problems.notJson();
  const value = decodeJson(bytes);
  if (value === undefined) throw problems.badRequest({ body: ['must be json in utf-8'] });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw problems.badRequest({ body: ['must be a json object'] });
}
