import { UsageError } from './errors.js';
import { nearestNames } from './nearest-names.js';

/**
 * Throws `UsageError` for the first name in `given` that is not among `known`, whatever its value: a mistyped option that was ignored would
 * silently leave its default in force. Also throws if `given` is not an object. `where` begins the message: the function, the operation or
 * the option that takes `given`.
 */
export function refuseUnknownOptions(where: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new UsageError(`${where} must be an object of options`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [near] = nearestNames(unknown, known);
  const hint = near === undefined ? `known are ${known.map(quoted).join(', ')}` : `did you mean ${quoted(near)}?`;
  throw new UsageError(`${where} has no option ${quoted(unknown.slice(0, 40))}; ${hint}`);
}

/** A test of the value of an option, and a description of valid values. An option that is not `required` may be undefined. */
export type OptionCheck = readonly [isValid: (value: never) => boolean, expected: string, isRequired?: 'required'];

/** Checks of all options that a function takes, by name; `undefined` for an option that is checked elsewhere. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck | undefined };

/**
 * Throws `UsageError` for an unknown option, as `refuseUnknownOptions` does, and for the first value that fails its check. `prefix` is the path of
 * the options, such as `guard.`.
 */
export function checkOptions<Options extends object>(
  where: string,
  given: Options,
  checks: OptionChecks<Options>,
  prefix = '',
): void {
  refuseUnknownOptions(where, given, Object.keys(checks));
  for (const [name, check] of Object.entries<OptionCheck | undefined>(checks)) {
    const value: unknown = given[name as keyof Options];
    if (check === undefined || (value === undefined && check[2] === undefined)) continue;
    if (!check[0](value as never)) throw new UsageError(`\`${prefix}${name}\` must be ${check[1]}`);
  }
}

/** Checks that are used more than once. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;

function quoted(name: string): string {
  return `'${name}'`;
}
