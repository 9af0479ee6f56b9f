/**
 * Random changes of random rule sets, as reviewers make them: terms, thresholds, switches, actions,
 * rules, filters, readings.
 */
import fc from 'fast-check';
import type { Condition, KeywordList, Rule } from '../../src/index.js';
import { anyReadings } from '../support/arbitrary.js';
import { words } from '../support/arbitrary-message.js';
import { several } from '../support/oracle-world.js';

export interface PlainRuleSet {
  readonly rules: readonly Rule[];
  readonly lists: readonly KeywordList[];
}

const editRule = (at: number, edit: (rule: Rule) => Rule | undefined) => (ruleSet: PlainRuleSet) => ({
  ...ruleSet,
  rules: ruleSet.rules.flatMap((rule, index) => (index === at % ruleSet.rules.length ? (edit(rule) ?? []) : [rule])),
});
const editCondition = (at: number, edit: (condition: Condition) => Condition) =>
  editRule(at, (rule) => ({
    ...rule,
    conditions: rule.conditions.map((item, index) => (index === 0 ? edit(item) : item)),
  }));
const editList = (at: number, edit: (terms: readonly string[]) => readonly string[]) => (ruleSet: PlainRuleSet) => ({
  ...ruleSet,
  lists: ruleSet.lists.map((list, index) =>
    index === at % ruleSet.lists.length ? { ...list, searchTerms: edit(list.searchTerms) } : list,
  ),
});

const moved = (value: string) =>
  value.replace(/_greaterThan_(\d+)/, (_, number) => `_greaterThan_${Number(number) > 50 ? 10 : 90}`);

/** One change of a rule set; the first rule may be gone, so later ones take what is left. */
export const anyMutation: fc.Arbitrary<(ruleSet: PlainRuleSet) => PlainRuleSet> = fc
  .record({ kind: fc.nat(9), at: fc.nat(5), word: fc.constantFrom(...words) })
  .map(({ kind, at, word }) => {
    const added: Rule = {
      id: 'added',
      action: ['blockMessage'],
      conditions: [{ id: 1, operand: 'text', value: [word] }],
    };
    const changes: readonly ((ruleSet: PlainRuleSet) => PlainRuleSet)[] = [
      editList(at, (terms) => [...terms, word]),
      editList(at, (terms) => terms.slice(1)),
      editCondition(at, (condition) => ({ ...condition, value: several(condition.value).slice(1) })),
      editCondition(at, (condition) => ({ ...condition, value: several(condition.value).map(moved) })),
      editRule(at, (rule) => ({ ...rule, enabled: rule.enabled === false })),
      editRule(at, (rule) => ({ ...rule, action: rule.action === 'dropMessage' ? ['blockMessage'] : 'dropMessage' })),
      editRule(at, () => undefined),
      editRule(at, ({ filters: _, ...rule }) => rule),
      (ruleSet) => ({ ...ruleSet, rules: [added, ...ruleSet.rules.filter(({ id }) => id !== 'added')] }),
      editCondition(at, (condition) => ({
        ...condition,
        operator: condition.operator === 'equals' ? 'contains' : 'equals',
      })),
    ];
    const change = changes[kind]!;
    return (ruleSet) => (ruleSet.rules.length === 0 ? ruleSet : change(ruleSet));
  });

/** Readings of both sides: the same as often as not. */
export const anyReadingPair = fc
  .record({ before: anyReadings, after: anyReadings, change: fc.constantFrom('none', 'all', 'all', 'exceptions') })
  .map(({ before, after, change }) => {
    if (change === 'exceptions') return { before, after: { ...before, exceptions: after.exceptions ?? [] } };
    return { before, after: change === 'none' ? before : after };
  });
