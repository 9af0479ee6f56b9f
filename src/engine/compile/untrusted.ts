/** Reading of unchecked values: rule sets and messages come from files and other programs. */

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the value as an object whose fields can be read; `undefined` for anything else, arrays
 * included.
 */
export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? (value as Fields) : undefined;
}

/**
 * Reports whether a value is an array. `Array.isArray` throws for a revoked proxy, which is not an
 * array here.
 */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * Returns the value as an array: an array as it is, `undefined` and `null` as an empty one,
 * anything else as its only item.
 */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Reads a field of an object that may have getters; `undefined` when one throws. */
export function read(fields: Fields | undefined, key: string | number): unknown {
  try {
    return fields?.[key];
  } catch {
    return undefined;
  }
}

/** Returns the items of an array, holes left out; an empty array for anything else. */
export function readItems(value: unknown): readonly unknown[] {
  return isArray(value) ? keysOf(value).map((index) => read(value as unknown as Fields, index)) : [];
}

/**
 * Returns the own keys of an object; of an array the indices that it holds, since a sparse one may
 * be long and nearly empty.
 */
export function keysOf(value: object): readonly (string | number)[] {
  try {
    const keys = Object.keys(value);
    return isArray(value) ? keys.filter((key) => /^\d+$/.test(key)).map(Number) : keys;
  } catch {
    return [];
  }
}
