import type { MissingList, RuleSet } from '../contract/rule-set.js';

/**
 * Lists the missing lists that the platform may have: all but those that do not exist. Rules that lack one are not the rules of the
 * platform, so they replace no others, and no lasting result is made of them. A list without a `kind` counts as lost: a file written by
 * hand does not say that the list does not exist.
 */
export function lostLists({ missing }: Pick<RuleSet, 'missing'>): readonly MissingList[] {
  return missing.filter(({ kind }) => kind !== 'gone');
}
