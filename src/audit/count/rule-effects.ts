/**
 * The effects of single rules on the verdict of a decision: the verdicts of its matched rules are
 * combined again, without a rule, or with a shadow rule. Nothing is evaluated again, since rules
 * match independently of each other; a rule that could not be evaluated does not influence the
 * verdict, and an exempt message has no matched rules.
 */
import { stops, verdicts } from '../../engine/compile/verdicts.js';
import type { Decision, RuleHit, Verdict } from '../../engine/evaluate/decision.js';

/** The effects of single rules on one verdict, by rule id. */
export interface RuleEffects {
  /** The id of the rule without which the verdict would be another; at most one rule is such. */
  readonly alone: string | undefined;
  /** Shadow rules that would stop the message, which is allowed, if they decided. */
  readonly wouldStop: readonly string[];
}

const none: readonly string[] = [];
const all: readonly string[] = verdicts;

/**
 * Returns a function that finds the effects of single rules on a decision. `precedence` is the
 * reading of that name: the verdicts, strongest first.
 */
export function createRuleEffects(precedence: readonly string[]): (decision: Decision) => RuleEffects {
  const byStrength = precedence.filter((action): action is Verdict => all.includes(action));
  /**
   * Returns the strongest verdict among the actions of rules; `allow` if there is no verdict among
   * them, as in the evaluator.
   */
  const combine = (matched: readonly RuleHit[], counts: (hit: RuleHit) => boolean): Verdict => {
    const counted = matched.filter(counts);
    return byStrength.find((verdict) => counted.some(({ actions }) => actions.includes(verdict))) ?? 'allow';
  };
  return ({ verdict, matched }) => {
    const deciding = matched.find(({ determining }) => determining)?.ruleId;
    // Two rules with the same id count as one rule: both run, and both would be removed.
    const isAlone =
      deciding !== undefined &&
      matched.every(({ determining, ruleId }) => !determining || ruleId === deciding) &&
      combine(matched, ({ shadow, ruleId }) => !shadow && ruleId !== deciding) !== verdict;
    const shadows = stops(verdict) ? [] : matched.filter(({ shadow }) => shadow);
    const wouldStop = shadows
      .map(({ ruleId }) => ruleId)
      .filter((id) => stops(combine(matched, ({ shadow, ruleId }) => !shadow || ruleId === id)));
    return { alone: isAlone ? deciding : undefined, wouldStop: wouldStop.length > 0 ? [...new Set(wouldStop)] : none };
  };
}
