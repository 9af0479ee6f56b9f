/** The rules that might have matched a message, so that its `allow` may be wrong. */

import type { MessageDraft } from '../../platform/contract/message-draft.js';
import type { CompiledRule } from '../compile/compiled-rule-set.js';
import type { Unevaluated, Verdict } from './decision.js';
import type { EngineParts } from './engine-parts.js';
import { matchedRules, readPaths } from './evaluator.js';
import { createExemption, evaluateFilters } from './filters.js';
import { Hits } from './hits.js';
import { type Observation, observe } from './observation.js';
import type { Scores } from './scores.js';
import { isPresent, reasonOfCondition } from './unevaluated.js';

/**
 * A rule that did not match a message, and would match if everything held that could not be
 * evaluated for this message: scores, filters, an unreadable text, patterns of an engine that
 * failed. Conditions that could not be compiled count as not holding.
 */
export interface UndecidedRule {
  readonly ruleId: string;
  readonly actions: readonly string[];
  /** The verdict if the rule matched. */
  readonly verdict: Verdict;
  /** Whether the verdict would rest on the rule, since the rule is stronger than all that match. */
  readonly determining: boolean;
  /** The reason why a condition or a filter of the rule has no answer. */
  readonly why: Exclude<Unevaluated['why'], 'not-compiled'>;
}

/**
 * Returns the undecided rules of a message, in the order of the rules; rules in shadow are left
 * out. It visits every condition, so it is for messages with something in `unevaluated`. Throws
 * `UsageError` as `decide` does.
 */
export function undecidedRules(
  { compiled, semantics }: EngineParts,
  message: string | MessageDraft,
  scores: readonly Scores[] | undefined,
): readonly UndecidedRule[] {
  const observation = observe(message, scores, readPaths(semantics.customText));
  if (createExemption(semantics.exempt)(observation.message)) return [];
  const hits = new Hits(compiled);
  hits.scan(observation, semantics, 1);
  const matched = new Set(matchedRules(compiled, hits, semantics, observation));
  const { verdicts } = compiled;
  let strongest = verdicts.length;
  for (const { rank, shadow } of matched) if (!shadow) strongest = Math.min(strongest, rank);
  return compiled.rules.flatMap((rule): UndecidedRule[] => {
    if (rule.shadow || matched.has(rule)) return [];
    const why = whyUndecided({ compiled, semantics }, rule, observation, hits);
    if (why === undefined) return [];
    const { id, actions, rank } = rule;
    const verdict = verdicts[Math.min(rank, strongest)] ?? 'allow';
    return [{ ruleId: id, actions, verdict, determining: rank < strongest, why }];
  });
}

function whyUndecided(
  { compiled, semantics }: EngineParts,
  rule: CompiledRule,
  observation: Observation,
  hits: Hits,
): UndecidedRule['why'] | undefined {
  const filters = evaluateFilters(rule.filters, observation.message);
  if (rule.filterError !== undefined || filters.result === 'fails') return undefined;
  let why: UndecidedRule['why'] | undefined = filters.lacking && 'not-answerable';
  let mayHold = 0;
  for (let index = rule.firstCondition; index < rule.endCondition; index++) {
    const condition = compiled.conditions[index]!;
    mayHold += hits.holds[index]!;
    const isOpen =
      hits.holds[index] === 0 && isPresent(condition.operand, condition.thresholds.length > 0, observation);
    const reason = isOpen
      ? reasonOfCondition(condition, semantics, observation, false, hits.faultOf(index))?.why
      : undefined;
    if (reason === undefined || reason === 'not-compiled') continue;
    why ??= reason;
    mayHold++;
  }
  const needed = semantics.conditions === 'all' ? rule.endCondition - rule.firstCondition : 1;
  return mayHold >= needed ? why : undefined;
}
