import { digest } from '../../foundation/digest.js';
import type { Condition, Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';

/**
 * A plausible change of the rules of the demo: two more terms, a higher threshold, and a rule that
 * is switched off.
 */
const proposal = {
  list: 'spam-terms',
  terms: ['sale', 'trade'],
  threshold: { from: 'AnyOf_greaterThan_30', to: 'AnyOf_greaterThan_60' },
  rule: 'image-moderation',
  disabled: 'brush-offs',
} as const;

/**
 * Returns the rule set of the demo with the proposed change, for `sluice diff --demo`. The new
 * terms stop what they are meant for, but also innocent messages, and some of the released messages
 * should have been stopped.
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
