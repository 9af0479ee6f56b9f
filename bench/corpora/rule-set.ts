import type { Workload } from '../rules/contenders.js';

/**
 * Term or pattern `index` belongs to rule `index % rules`. Every fifth rule drops and the others
 * block, so that strengths matter.
 */
export function isDropped(index: number, rules: number): boolean {
  return (index % rules) % 5 === 4;
}

/**
 * Rules over terms and patterns: each gets every `count`-th of them, the terms in a keyword list of
 * its own.
 */
export function createRuleSet(
  terms: readonly string[],
  patterns: readonly string[],
  count: number,
): Workload['ruleSet'] {
  const numbers = Array.from({ length: count }, (_, rule) => rule);
  const shareOf = (items: readonly string[], rule: number) => items.filter((_, index) => index % count === rule);
  const condition = { entity: 'message', operand: 'text', operator: 'contains' };
  return {
    lists: numbers.map((rule) => ({ id: `list-${rule}`, category: 'word', searchTerms: shareOf(terms, rule) })),
    rules: numbers.map((rule) => ({
      id: `rule-${rule}`,
      action: [isDropped(rule, count) ? 'dropMessage' : 'blockMessage'],
      conditions: [
        { ...condition, id: 1, category: 'word', isListReferencePresent: true, value: [`list-${rule}`] },
        ...(shareOf(patterns, rule).length > 0
          ? [{ ...condition, id: 2, category: 'pattern', value: shareOf(patterns, rule) }]
          : []),
      ],
    })),
  };
}
