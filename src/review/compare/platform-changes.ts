/**
 * The differences between rules and those of a platform, which stores what it accepts in its own
 * form.
 */
import { asFields, asList } from '../../engine/compile/untrusted.js';
import type { Rule } from '../../platform/contract/rule.js';
import { comparedForms, listsNamedBy } from '../../platform/loader/part-form.js';
import { type DiffSides, describeChange, type RuleSetChange } from './describe-change.js';

/**
 * Lists the differences between the rule sets `against` and `rules`, one of which a platform has or
 * is to have. Fields that the platform adds or writes in its own form are not differences, and
 * neither is the order of rules and lists.
 */
export function platformChanges(sides: DiffSides): RuleSetChange[] {
  const formsOf = (side: DiffSides['rules']) => ({ ...side, ...comparedForms(side) });
  const forms = { ...sides, rules: formsOf(sides.rules), against: formsOf(sides.against) };
  return describeChange(forms).filter((change) => change.kind !== 'field' || 'ruleId' in change || 'listId' in change);
}

/**
 * Leaves out the lists that no rule of either side names. They decide nothing, and a platform does
 * not return them with its rules.
 */
export function withNamedLists({ rules, against, ...readings }: DiffSides): DiffSides {
  const all = [rules, against].flatMap((side) => asList(side.rules)).filter((rule) => asFields(rule) !== undefined);
  const named = new Set(all.flatMap((rule) => listsNamedBy(rule as Rule)));
  const only = (side: DiffSides['rules']) => ({ ...side, lists: side.lists.filter(({ id }) => named.has(id)) });
  return { rules: only(rules), against: only(against), ...readings };
}
