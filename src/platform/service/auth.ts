/** Who may call, and on whose behalf (§5). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { UsageError } from '../../foundation/errors.js';
import type { Endpoint } from '../contract/endpoints.js';
import { problems } from './errors.js';
import type { UserRecord } from './store.js';

/** Throws a `Problem` (401) unless a request carries the key in its header `apikey`. */
export type KeyGuard = (request: Pick<IncomingMessage, 'headers'>) => void;

/** A fresh key, of the shape that platforms give out: 40 hexadecimal digits. */
export function makeApiKey(): string {
  return randomBytes(20).toString('hex');
}

/**
 * Guards by a key. Digests are compared, in constant time: the time taken reveals neither the key nor its length. Throws
 * `UsageError` for a key that no header can carry.
 */
export function createKeyGuard(apiKey: string): KeyGuard {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError('the api key must be one or more visible ascii characters, without spaces');
  }
  const expected = digest(apiKey);
  return ({ headers }) => {
    // Node joins a header that is sent twice by a comma, which no key has.
    const given = String(headers.apikey ?? '');
    if (given === '') throw problems.noApiKey();
    if (!timingSafeEqual(digest(given), expected)) throw problems.wrongApiKey();
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * The acting user of the header `onBehalfOf`, where the operation has one. Throws a `Problem`: 400 when it is required and missing,
 * 404 when there is no such user.
 */
export function findActor(
  { onBehalfOf }: Endpoint,
  { headers }: Pick<IncomingMessage, 'headers'>,
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

/** Header bytes as UTF-8, as curl sends them, or else as the Latin-1 that `fetch` sends. */
function decodeHeader(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
