/** Reports whether a key is valid in a header: visible ASCII characters, without spaces. */
export function isKey(key: unknown): key is string {
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key);
}

/**
 * Reports whether a given key is the expected one, which is not empty. The time taken depends on
 * the given one alone.
 */
export function isSameKey(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at % expected.length);
  }
  return difference === 0;
}
