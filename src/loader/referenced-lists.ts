import { namesLists } from '../compile/list-flags.js';
import { endsInThreshold } from '../compile/threshold.js';
import type { Condition, Rule } from '../contract/rule.js';
import { isMediaOperand } from '../media.js';

/**
 * Ids of the keyword lists that rules refer to (§2.5), each once, in order of first reference. Rules that do not run are
 * included: the reading `runs` is applied when the rule set is compiled.
 */
export function referencedLists(rules: readonly Rule[]): string[] {
  const ids = rules.flatMap((rule) => rule.conditions).flatMap(listsOf);
  return [...new Set(ids)];
}

function listsOf(condition: Condition): string[] {
  if (!namesLists(condition) || isMediaOperand(condition.operand)) return [];
  const values = typeof condition.value === 'string' ? [condition.value] : (condition.value ?? []);
  return values.filter((value) => value !== '' && !isScore(condition, value));
}

/** Whether a value is a threshold: live conditions of other categories, such as `sentence-similarity`, set the flag and hold one. */
function isScore(condition: Condition, value: string): boolean {
  const { category } = condition;
  return category !== undefined && category !== 'word' && category !== 'pattern' && endsInThreshold(value);
}
