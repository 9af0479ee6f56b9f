/**
 * Schemas of fields that the resources share. Objects are loose: unknown fields survive a round
 * trip. §2.8 leaves open which fields are always present, so only the identifier of a resource is
 * required.
 */
import * as z from 'zod';

/**
 * One of the known values of a set, which editors complete, or any other string: the sets of the
 * document are open (§2.8). `Record<never, never>` keeps the compiler from widening the union to
 * `string`.
 */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** Returns the schema of a field that may be absent or null; null is read as absent. */
export function maybe<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => value ?? undefined, schema.optional()).optional();
}

/**
 * The largest number of items in an array of which real resources have a few items; a rule or a
 * message with more is refused, since checking takes time for each item.
 */
const mostItems = 10_000;

/** Returns the schema of an array of objects inside a resource. */
export function few<T extends z.ZodType>(schema: T) {
  return z.array(schema).max(mostItems, { error: `must have at most ${mostItems} items`, abort: true });
}

/**
 * Returns the schema of objects with any names, whose values all have the given schema. Unlike that
 * of `z.record`, its check can end at the first error.
 */
export function byName<T extends z.ZodType>(schema: T) {
  return z.object({}).catchall(schema);
}

const [proto, renamed] = ['__proto__', ' __proto__'] as const;

/**
 * Returns a schema as `byName` does, for names that are ids or were written by people. Zod leaves
 * out `__proto__`, which is therefore renamed while the value is checked.
 */
export function byId<T extends z.ZodType>(schema: T) {
  const rename = <Value>(fields: Readonly<Record<string, Value>>, from: string, to: string): Record<string, Value> => {
    if (typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, from)) return fields;
    return Object.fromEntries(Object.entries(fields).map(([id, value]) => [id === from ? to : id, value]));
  };
  return z
    .preprocess((value) => rename(value as Record<string, unknown>, proto, renamed), byName(schema))
    .transform((fields) => rename(fields, renamed, proto));
}

/** A string with at least one character, such as a uid. */
export const identifier = z.string().min(1);

/** An id that the document types as a string; public examples also write it as a number. */
export const numericId = z.union([identifier, z.int().transform(String)]);

/** Seconds since the epoch. */
export const timestamp = z.number();

/** One string or several, as rules write `value` and `message` (§2.5). */
export const oneOrMany = z.union([z.string(), z.array(z.string())]);
