/** Reading of values whose shape nobody has checked: rule sets come from files and other people's programs too. */

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object whose fields can be read, or nothing. Arrays are none. */
export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? (value as Fields) : undefined;
}

/** `Array.isArray`, which throws for a revoked proxy: that one is nothing that could be walked. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** One or several, as several. `undefined` and `null` are none. */
export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Reads a field of an object that may have getters; one that throws has no value. */
export function read(fields: Fields | undefined, key: string | number): unknown {
  try {
    return fields?.[key];
  } catch {
    return undefined;
  }
}

/** The items of an array that can be read; anything else has none. */
export function readItems(value: unknown): readonly unknown[] {
  return isArray(value) ? keysOf(value).map((index) => read(value as unknown as Fields, index)) : [];
}

/** Keys of what is there: an array may be long and hold nearly nothing. */
export function keysOf(value: object): readonly (string | number)[] {
  try {
    const keys = Object.keys(value);
    return isArray(value) ? keys.filter((key) => /^\d+$/.test(key)).map(Number) : keys;
  } catch {
    return [];
  }
}
