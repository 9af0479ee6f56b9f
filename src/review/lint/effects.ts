/** Effects of rules: which rule does at least what another one does, and what its messages lose without the other. */
import type { CompiledRule } from '../../engine/compile/compiled-rule-set.js';
import { verdicts } from '../../engine/compile/verdicts.js';

const isVerdict = (action: string) => (verdicts as readonly string[]).includes(action);

/** Returns a key that rules of the same effect share. A rule in shadow and one with a broken filter have an effect of their own. */
export function effectOf({ id, shadow, filterError, actions, filters }: CompiledRule): string {
  if (shadow || filterError !== undefined) return id;
  return JSON.stringify([[...new Set(actions)].sort(), filters.map((filter) => JSON.stringify(filter)).sort()]);
}

/**
 * Reports whether a rule has at least the effect of another, except for weaker verdicts, on everyone to whom the other
 * applies.
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

/** Returns the actions that messages lose if one rule decides in the place of another: verdicts that are weaker than its own. */
export function lostActions(by: CompiledRule, rule: CompiledRule): readonly string[] {
  return [...new Set(rule.actions)].filter((action) => !by.actions.includes(action)).map((action) => `\`${action}\``);
}
