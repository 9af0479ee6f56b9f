import { UsageError } from '../errors.js';

/** Longest wait that a Node timer can hold; longer ones fire at once. */
export const longestMs = 2_147_483_647;

/** Checks a number that an option holds. Throws `UsageError` by its name. */
export function wholeNumber(name: string, value: unknown, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new UsageError(`\`${name}\` should be a whole number from ${min} to ${max}`);
}
