import { namesLists } from '../compile/list-flags.js';
import type { Condition, Rule } from '../contract/rule.js';

/**
 * Ids of the keyword lists that rules refer to (§2.5), each once, in order of first reference. Rules that do not run are
 * included: the reading `runs` is applied when the rule set is compiled.
 */
export function referencedLists(rules: readonly Rule[]): string[] {
  const ids = rules.flatMap((rule) => rule.conditions).flatMap(listsOf);
  return [...new Set(ids)];
}

function listsOf(condition: Condition): string[] {
  if (!namesLists(condition)) return [];
  const values = typeof condition.value === 'string' ? [condition.value] : (condition.value ?? []);
  return values.filter((value) => value !== '');
}
