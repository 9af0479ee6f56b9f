import { UsageError } from './errors.js';
import { nearestNames } from './nearest-names.js';

/**
 * Throws `UsageError` for the first name in `given` that is not among `known`, whatever its value: a mistyped option that
 * was ignored would leave its default in force unseen. Also throws where `given` is no object. `where` begins the message:
 * the function, the operation or the option that takes `given`.
 */
export function refuseUnknownOptions(where: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null) throw new UsageError(`${where} must be an object of options`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [near] = nearestNames(unknown, known);
  const hint = near === undefined ? `known are ${known.map(quoted).join(', ')}` : `did you mean ${quoted(near)}?`;
  throw new UsageError(`${where} has no option ${quoted(unknown.slice(0, 40))}; ${hint}`);
}

function quoted(name: string): string {
  return `'${name}'`;
}
