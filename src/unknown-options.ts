import { UsageError } from './errors.js';
import { nearestNames } from './nearest-names.js';

/**
 * Refuses an option that is not known, of which nobody would see that it has no effect. `where` names what takes the options.
 * Throws `UsageError` with the first such option and the known one nearest to it, or all of them when none is near.
 */
export function refuseUnknownOptions(where: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [nearest] = nearestNames(unknown, known);
  const advice = nearest === undefined ? `it has ${known.join(', ')}` : `did you mean '${nearest}'?`;
  // One line of a bounded length, whatever the name is.
  const name = JSON.stringify(unknown.slice(0, 60)).slice(1, -1);
  throw new UsageError(`${where} has no option '${name}'; ${advice}`);
}
