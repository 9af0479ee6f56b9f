/**
 * The keys of an endpoint: Basic and Bearer (RFC 7617, RFC 6750), compared in constant time,
 * wherever the Fetch API is.
 */
import { UsageError } from '../../foundation/errors.js';
import { refuseUnknownOptions } from '../../foundation/options.js';
import { isKey, isSameKey } from '../../foundation/requests/keys.js';
import { Refusal } from '../../foundation/requests/refusal.js';

/** The keys, one of which a request must carry. At least one of the two is given. */
export interface HandlerKeys {
  /** The credentials that a platform sends to a custom api, if they are set there. */
  readonly basic?: { readonly username: string; readonly password: string } | undefined;
  /** A token, as `authorization: Bearer …`. */
  readonly bearer?: string | undefined;
}

/** Throws a `Refusal` (401) unless a request carries one of the keys. */
type KeyGuard = (headers: Headers) => void;

/**
 * Makes the check of keys; without `keys` every request passes. Throws `UsageError` for invalid
 * keys.
 */
export function createKeyGuard(keys: HandlerKeys | undefined): KeyGuard {
  if (keys === undefined) return () => {};
  refuseUnknownOptions('`auth`', keys, ['basic', 'bearer']);
  const { basic, bearer } = keys;
  if (basic === undefined && bearer === undefined) {
    throw new UsageError('`auth` has neither `basic` nor `bearer`; leave it out to answer requests without a key');
  }
  if (bearer !== undefined && !isKey(bearer)) {
    throw new UsageError({ option: 'auth.bearer', fact: 'must be visible ascii characters, without spaces' });
  }
  const expected = { basic: basic && pairOf(basic), bearer };
  const schemes = [...(basic ? ['Basic realm="sluice", charset="UTF-8"'] : []), ...(bearer ? ['Bearer'] : [])];
  const challenge = { 'www-authenticate': schemes.join(', ') };
  return (headers) => {
    const given = headers.get('authorization') ?? '';
    const [, scheme = '', value = ''] = /^(\S+) +(\S+) *$/.exec(given) ?? [];
    const isKnown =
      (expected.basic !== undefined &&
        scheme.toLowerCase() === 'basic' &&
        isSameKey(fromBase64(value), expected.basic)) ||
      (expected.bearer !== undefined && scheme.toLowerCase() === 'bearer' && isSameKey(value, expected.bearer));
    if (isKnown) return;
    const wording = given === '' ? 'the request has no key' : 'the key of the request is not known';
    throw new Refusal(401, `${wording}; send it in \`authorization\``, challenge);
  };
}

/** User and password as the bytes of UTF-8, a character each, as `atob` gives them. */
function pairOf(basic: NonNullable<HandlerKeys['basic']>): string {
  refuseUnknownOptions('`auth.basic`', basic, ['username', 'password']);
  const { username, password } = basic;
  if (typeof username !== 'string' || username === '' || /[:\p{Cc}]/u.test(username)) {
    throw new UsageError({
      option: 'auth.basic.username',
      fact: 'must be a text without colons and control characters',
    });
  }
  if (typeof password !== 'string' || password === '')
    throw new UsageError({ option: 'auth.basic.password', fact: 'must be a text, and not empty' });
  return Array.from(new TextEncoder().encode(`${username}:${password}`), (byte) => String.fromCharCode(byte)).join('');
}

function fromBase64(value: string): string {
  try {
    return atob(value);
  } catch {
    return '';
  }
}
