/**
 * Checks of what callers pass, before anything is sent. Each returns the value or throws a `UsageError` that names the
 * parameter and never shows its content.
 */
import { UsageError } from '../../foundation/errors.js';

/** Longest delay of a Node timer; longer ones fire at once. */
export const longestTimerMs = 2_147_483_647;

/** A safe integer within a range. */
export function wholeNumber(
  name: string,
  value: unknown,
  min: number = Number.MIN_SAFE_INTEGER,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const from = min === Number.MIN_SAFE_INTEGER ? '' : ` from ${min}`;
  const to = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
  throw new UsageError(`\`${name}\` must be a whole number${from}${to}`);
}

/** Options that are whole numbers, by name: default, least and largest value. */
export type NumberOptions = Readonly<Record<string, readonly [fallback: number, min: number, max: number]>>;

/** Reads options that are whole numbers. `prefix` is where they are, such as `retry.`. */
export function readNumbers<const Table extends NumberOptions>(
  prefix: string,
  given: object,
  table: Table,
): { readonly [Name in keyof Table]: number } {
  const read = Object.entries(table).map(([name, [fallback, min, max]]) => {
    const value = (given as Readonly<Record<string, unknown>>)[name] ?? fallback;
    return [name, wholeNumber(`${prefix}${name}`, value, min, max)] as const;
  });
  return Object.fromEntries(read) as { [Name in keyof Table]: number };
}

/**
 * Printable ASCII without blanks at the edges. Servers trim blanks silently, so ` ann` would act as `ann`; the encoding
 * of characters beyond ASCII in a header is undefined.
 */
const headerValue = /^[!-~](?:[ -~]*[!-~])?$/;

/** The origin of a header: an option, or something that has a name of its own for messages. */
type HeaderOrigin = { readonly option: string } | { readonly shown: string };

/** The value of a header (§5); `missing` is what is wrong with anything but a string with at least one character. */
export function validHeader(origin: HeaderOrigin, value: unknown, missing: string): string {
  const wrong = (fact: string) =>
    new UsageError('option' in origin ? { option: origin.option, fact } : `${origin.shown} ${fact}`);
  if (typeof value !== 'string' || value === '') throw wrong(missing);
  if (headerValue.test(value)) return value;
  const allowed = 'only printable ASCII, no blank or line break at its ends';
  throw wrong(`holds characters that a header cannot carry: ${allowed}`);
}

/** An id in a path: one that cannot address another operation (`..`) and that arrives unchanged. */
export function validPathId(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '')
    throw new UsageError(`\`${name}\` must be a string with at least one character`);
  if (id === '.' || id === '..') throw new UsageError(`\`${name}\` is a path step, not an id`);
  if (!id.isWellFormed()) throw loneSurrogate(name);
  if (/\p{Cc}/u.test(id)) throw new UsageError(`\`${name}\` holds a control character: remove it`);
  if (id.trim() !== id) throw new UsageError(`\`${name}\` has a blank at one of its ends: trim it`);
  return id;
}

/**
 * A message id in the body of a read marker (§4.5, §4.6): an integer there, though messages carry it as a decimal string
 * (§2.4), so one beyond the safe integers is refused.
 */
export function validMarkerId(messageId: unknown): number | undefined {
  if (messageId === undefined) return undefined;
  const number = typeof messageId === 'string' && /^\d+$/.test(messageId) ? Number(messageId) : messageId;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new UsageError(
    `\`messageId\` must be a whole number up to ${Number.MAX_SAFE_INTEGER}, or one written as a string`,
  );
}

/** The tags of a conversation (§4.1). */
export function validTags(tags: unknown): readonly string[] | undefined {
  if (tags === undefined) return undefined;
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return tags;
  throw new UsageError('`tags` must be a list of strings');
}

/** A rule or a keyword list that is written, as it is sent. */
export function validResource(name: 'rule' | 'list', value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`\`${name}\` must be an object`);
}

function loneSurrogate(name: string): UsageError {
  return new UsageError(`\`${name}\` holds half of a surrogate pair, which cannot be sent`);
}
