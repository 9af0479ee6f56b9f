/**
 * What a hit means for the verdict, as far as that is known before any message is seen. Most rules match as soon as one of
 * their conditions holds; then a term or a pattern decides by itself, and a scan may stop once nothing can be stronger.
 */
import type {
  CompiledCondition,
  CompiledRule,
  Deciders,
  TextOperand,
  UseIndex,
  VerdictPlan,
} from './compiled-rule-set.js';

/** Looks at every rule, condition, term and pattern. `none` is the number of verdicts. */
export function planVerdict(
  rules: readonly CompiledRule[],
  conditions: readonly CompiledCondition[],
  all: boolean,
  none: number,
  words: Readonly<Record<TextOperand, UseIndex>>,
  patterns: Readonly<Record<TextOperand, UseIndex>>,
): VerdictPlan {
  const ofConditions: Deciders = {
    ranks: new Uint8Array(conditions.length).fill(none),
    tangled: new Uint8Array(conditions.length),
  };
  let strongest = none;
  for (const rule of rules) {
    if (rule.shadow || rule.rank === none) continue;
    strongest = Math.min(strongest, rule.rank);
    const size = rule.endCondition - rule.firstCondition;
    const tangled = rule.filters.length > 0 || rule.filterTrouble !== undefined || (all && size > 1);
    for (let index = rule.firstCondition; index < rule.endCondition; index++) {
      if (tangled) ofConditions.tangled[index] = 1;
      else ofConditions.ranks[index] = rule.rank;
    }
  }
  const lift = ({ from, uses }: UseIndex): Deciders => {
    const ranks = new Uint8Array(from.length - 1).fill(none);
    const tangled = new Uint8Array(from.length - 1);
    for (let key = 0; key < ranks.length; key++) {
      for (let index = from[key]!; index < from[key + 1]!; index++) {
        const { condition } = uses[index]!;
        ranks[key] = Math.min(ranks[key]!, ofConditions.ranks[condition]!);
        tangled[key] = tangled[key]! | ofConditions.tangled[condition]!;
      }
    }
    return { ranks, tangled };
  };
  return {
    strongest,
    conditions: ofConditions,
    words: { text: lift(words.text), custom: lift(words.custom) },
    patterns: { text: lift(patterns.text), custom: lift(patterns.custom) },
  };
}
