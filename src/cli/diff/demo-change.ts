import { digest } from '../../foundation/digest.js';
import type { Condition, Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';

/** A change of the demo's rules that someone might propose: two more terms, a higher threshold, a rule switched off. */
const proposal = {
  list: 'spam-terms',
  terms: ['sale', 'trade'],
  threshold: { from: 'AnyOf_greaterThan_30', to: 'AnyOf_greaterThan_60' },
  rule: 'image-moderation',
  disabled: 'brush-offs',
} as const;

/**
 * Returns the demo's rule set with a proposed change, for `sluice diff --demo`. The terms stop what they are meant for, and innocent
 * messages with it; some of what is released should not be.
 */
export function proposedChange(ruleSet: RuleSet): RuleSet {
  const rules = ruleSet.rules.map((rule): Rule => {
    if (rule.id === proposal.disabled) return { ...rule, enabled: false };
    return rule.id === proposal.rule ? { ...rule, conditions: rule.conditions.map(moveThreshold) } : rule;
  });
  const lists = ruleSet.lists.map((list) =>
    list.id === proposal.list ? { ...list, searchTerms: [...list.searchTerms, ...proposal.terms] } : list,
  );
  return { ...ruleSet, rules, lists, revision: digest({ rules, lists }) };
}

function moveThreshold(condition: Condition): Condition {
  const { from, to } = proposal.threshold;
  const values = typeof condition.value === 'string' ? [condition.value] : (condition.value ?? []);
  return { ...condition, value: values.map((value) => (value === from ? to : value)) };
}
