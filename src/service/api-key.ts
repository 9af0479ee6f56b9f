import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { UsageError } from '../errors.js';
import { refusals } from './refusals.js';

/** Throws a `Refusal` (401) unless the header `apikey` holds the key. */
export type KeyGuard = (header: string | undefined) => void;

/** A fresh key, of the shape that platforms give out: 40 hexadecimal digits. */
export function makeApiKey(): string {
  return randomBytes(20).toString('hex');
}

/**
 * Guards by a key (§5). Digests are compared, in constant time: the time taken tells neither the key nor its length. Throws
 * `UsageError` for a key that no header can carry.
 */
export function createKeyGuard(apiKey: string): KeyGuard {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError('the api key should be one or more visible ascii characters, without spaces');
  }
  const expected = digest(apiKey);
  return (header = '') => {
    if (header === '') throw refusals.noApiKey();
    if (!timingSafeEqual(digest(header), expected)) throw refusals.wrongApiKey();
  };
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
