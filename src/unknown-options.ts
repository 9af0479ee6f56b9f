import { UsageError } from './errors.js';
import { nearestNames } from './nearest-names.js';

/**
 * Throws `UsageError` for the first option of `given` that is not `known`, with the nearest known name: a misspelt option
 * would be ignored, and its default taken for what was meant. `where` names the function. An option that is `undefined`
 * counts as given.
 */
export function refuseUnknownOptions(where: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [nearest] = nearestNames(unknown, known);
  const hint = nearest === undefined ? `; there are ${known.join(', ')}` : `; did you mean \`${nearest}\`?`;
  throw new UsageError(`${where} has no option \`${unknown.slice(0, 60)}\`${hint}`);
}
