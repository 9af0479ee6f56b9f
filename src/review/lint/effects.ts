/**
 * Compares the effects of rules: whether one has at least the effect of another, and which actions
 * are lost without the other.
 */
import type { CompiledRule } from '../../engine/compile/compiled-rule-set.js';
import { verdicts } from '../../engine/compile/verdicts.js';

const isVerdict = (action: string) => (verdicts as readonly string[]).includes(action);

/**
 * Returns a key that is the same for rules with the same effect. It is unique for a rule in shadow,
 * and for one with a broken filter.
 */
export function effectOf({ id, shadow, filterError, actions, filters }: CompiledRule): string {
  if (shadow || filterError !== undefined) return id;
  return JSON.stringify([[...new Set(actions)].sort(), filters.map((filter) => JSON.stringify(filter)).sort()]);
}

/**
 * Reports whether the rule `by` has at least the effect of another, except for weaker verdicts, on
 * everyone to whom the other applies.
 */
export function dominates(by: CompiledRule, rule: CompiledRule): boolean {
  const filters = new Set(rule.filters.map((filter) => JSON.stringify(filter)));
  return (
    by === rule ||
    (![by, rule].some(({ shadow, filterError }) => shadow || filterError !== undefined) &&
      by.rank <= rule.rank &&
      rule.actions.every((action) => isVerdict(action) || by.actions.includes(action)) &&
      by.filters.every((filter) => filters.has(JSON.stringify(filter))))
  );
}

/**
 * Returns the actions that messages lose if the rule `by` decides in place of another: verdicts
 * that are weaker than its own.
 */
export function lostActions(by: CompiledRule, rule: CompiledRule): readonly string[] {
  return [...new Set(rule.actions)].filter((action) => !by.actions.includes(action)).map((action) => `\`${action}\``);
}
