/** Checks the options of functions of the library: their names, and their values. */
import { UsageError } from './errors.js';
import { nearestNames } from './nearest-names.js';

/**
 * Throws `UsageError` for the first name in `given` that is not among `known`, whatever its value:
 * a mistyped option that was ignored would silently leave its default in force. Also throws if
 * `given` is not an object. `where` begins the message: the function, the operation or the option
 * that takes `given`.
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

/**
 * A test of the value of an option, and a description of valid values. An option that is not
 * `required` may be undefined.
 */
export type OptionCheck = readonly [isValid: (value: never) => boolean, expected: string, isRequired?: 'required'];

/**
 * Checks of all options that a function takes, by name; `undefined` for an option that is checked
 * elsewhere.
 */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck | undefined };

/**
 * Throws `UsageError` for an unknown option, as `refuseUnknownOptions` does, and for the first
 * value that fails its check. `prefix` is the path of the options, such as `guard.`.
 */
export function checkOptions<Options extends object>(
  where: string,
  given: Options,
  checks: OptionChecks<Options>,
  prefix = '',
): void {
  refuseUnknownOptions(where, given, Object.keys(checks));
  for (const [name, check] of Object.entries<OptionCheck | undefined>(checks)) {
    if (check !== undefined) checkValue(`\`${prefix}${name}\``, given[name as keyof Options], check);
  }
}

/** Throws `UsageError` that begins with `subject` if a value fails its check. */
export function checkValue(subject: string, value: unknown, check: OptionCheck): void {
  if (value === undefined && check[2] === undefined) return;
  if (!check[0](value as never)) throw new UsageError(`${subject} must be ${check[1]}`);
}

/** Options that all have values. */
export type Complete<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/**
 * Returns the defaults with the given options over them; one that is `undefined` counts as absent.
 */
export function withDefaults<Options extends object>(
  defaults: Complete<Options>,
  given: { readonly [Name in keyof Options]?: Options[Name] | undefined },
): Complete<Options> {
  const names = Object.keys(defaults) as (keyof Options)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? defaults[name]])) as Complete<Options>;
}

/** Checks that are used more than once. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;

/** Returns the check of one of several values; `alsoValid` says what else is valid. */
export function oneOf(values: readonly unknown[], alsoValid = ''): OptionCheck {
  return [(value: unknown) => values.includes(value), `one of ${values.join(', ')}${alsoValid}`, 'required'];
}

/** The check of a function. */
export const callable: OptionCheck = [(value: unknown) => typeof value === 'function', 'a function'];

/** Returns the check of a safe integer within a range. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): OptionCheck {
  const isValid = (value: unknown) =>
    Number.isSafeInteger(value) && min <= (value as number) && (value as number) <= max;
  return [isValid, `a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`];
}

/** The longest delay of a timer of Node, in milliseconds; longer ones end at once. */
export const longestTimerMs = 2_147_483_647;

/** The check of a time limit: a whole number of milliseconds. */
export const timerMs = wholeNumber(1, longestTimerMs);

/**
 * Returns the value of a header: printable ASCII without blanks at its ends. Servers trim blanks
 * silently, so ` ann` would act as `ann`; the encoding of other characters in a header is
 * undefined. Throws `UsageError` that begins with `origin` and never shows the value; `missing`
 * describes the fault of anything but a string with at least one character.
 */
export function validHeader(origin: { readonly option: string } | string, value: unknown, missing: string): string {
  const wrong = (fact: string) =>
    new UsageError(typeof origin === 'string' ? `${origin} ${fact}` : { option: origin.option, fact });
  if (typeof value !== 'string' || value === '') throw wrong(missing);
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(value)) return value;
  throw wrong('holds characters that a header cannot carry: only printable ASCII, no blank or line break at its ends');
}

function quoted(name: string): string {
  return `'${name}'`;
}
