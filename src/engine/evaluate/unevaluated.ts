/**
 * The unevaluated conditions of a message: those whose operand is present but that could not be
 * evaluated, of rules that did not match. Such a rule is neither a match nor a non-match, and the
 * decision reports that.
 */
import type { CompiledCondition, CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import { isMediaOperand, isTextOperand } from '../compile/operands.js';
import { hasUnreadableFiles } from '../media.js';
import type { Semantics } from '../semantics.js';
import type { Unevaluated } from './decision.js';
import { evaluateFilters, type Lacking } from './filters.js';
import type { Hits } from './hits.js';
import type { Observation } from './observation.js';
import { holdsMedia, holdsScores, lackOfScores, scoresOver } from './scores.js';

type Reason = Omit<Unevaluated, 'ruleId' | 'conditionId'>;

/** Returns the unevaluated conditions of a message, in the order of rules and conditions. */
type UnevaluatedFinder = (
  observation: Observation,
  hits: Hits,
  matched: readonly CompiledRule[],
) => readonly Unevaluated[];

/**
 * Makes the finder. Most rules can always be evaluated unless an engine fails; only the others are
 * visited.
 */
export function createUnevaluatedFinder(compiled: CompiledRuleSet, semantics: Semantics): UnevaluatedFinder {
  const suspects = compiled.rules.filter((rule) => {
    const conditions = compiled.conditions.slice(rule.firstCondition, rule.endCondition);
    const isEvaluable = conditions.every(
      ({ compileError, thresholds }) => compileError === undefined && thresholds.length === 0,
    );
    return !isEvaluable || rule.filters.length > 0 || rule.filterError !== undefined;
  });
  const holdUnreadable = new Set(compiled.unreadableConditions);
  return (observation, hits, matched) => {
    const unevaluated: Unevaluated[] = [];
    let next = 0;
    for (const rule of !hits.hasFault && !observation.texts.unreadable ? suspects : compiled.rules) {
      while (next < matched.length && matched[next]!.firstCondition < rule.firstCondition) next++;
      if (matched[next] === rule) continue;
      const filters = evaluateFilters(rule.filters, observation.message);
      if (filters.result === 'fails') continue;
      const ofRule = reasonOfRule(rule, filters.lacking);
      for (let index = rule.firstCondition; index < rule.endCondition; index++) {
        const condition = compiled.conditions[index]!;
        if (!isPresent(condition.operand, condition.thresholds.length > 0, observation)) continue;
        const isHeld = observation.texts.unreadable === true && holdUnreadable.has(index);
        const reason = ofRule ?? reasonOfCondition(condition, semantics, observation, isHeld, hits.faultOf(index));
        if (reason === undefined) continue;
        unevaluated.push({ ruleId: rule.id, conditionId: condition.id, ...reason });
      }
    }
    return unevaluated;
  };
}

/**
 * Returns why no condition of the rule could be evaluated; `undefined` when that depends on the
 * condition.
 */
function reasonOfRule({ filterError }: CompiledRule, lacking: Lacking | undefined): Reason | undefined {
  if (filterError !== undefined) return { why: 'not-compiled', detail: filterError };
  if (lacking === undefined) return undefined;
  if (lacking.result === 'undated') {
    return {
      why: 'not-answerable',
      detail: 'a filter counts back from `sentAt`, which the message does not carry in seconds',
    };
  }
  const { subject, operand } = lacking.filter;
  const party = subject === 'sender' ? 'sender' : 'receiver';
  return {
    why: 'not-answerable',
    detail: `a filter tests the ${party}'s \`${operand}\`, which the message does not carry`,
    lacks: { party, property: operand },
  };
}

/**
 * Returns why a condition could not be evaluated, whatever the filters of its rule; `undefined`
 * when it could.
 */
export function reasonOfCondition(
  condition: CompiledCondition,
  semantics: Semantics,
  observation: Observation,
  isHeld: boolean,
  fault: string | undefined,
): Reason | undefined {
  if (condition.compileError !== undefined) return { why: 'not-compiled', detail: condition.compileError };
  if (isHeld) return undefined;
  const { thresholds, operand } = condition;
  const { scores, texts } = observation;
  if (operand === 'text' && texts.unreadable && !(thresholds.length > 0 && holdsScores(scores, operand))) {
    return { why: 'not-answerable', detail: 'the message has no text that can be read: `data.text` is not a string' };
  }
  if (fault !== undefined) return { why: 'engine-fault', detail: fault };
  if (thresholds.length === 0 || scoresOver(thresholds, operand, scores, 1).length > 0) return undefined;
  const detail = lackOfScores(thresholds, operand, observation);
  const isMedia = isMediaOperand(operand);
  const counts = isMedia && semantics.missingScores === 'block' && holdsMedia(observation, operand);
  if (detail !== undefined && counts) return undefined;
  if (isMedia && hasUnreadableFiles(observation.message)) {
    return {
      why: 'not-answerable',
      detail: 'the message has files that cannot be read: `data.attachments` is not an array',
    };
  }
  return detail === undefined ? undefined : { why: 'no-scores', detail };
}

/**
 * Reports whether the message holds a text or a file of the operand, or may hold one, or the caller
 * brought scores of it for a condition that is scored.
 */
export function isPresent(operand: string, isScored: boolean, observation: Observation): boolean {
  const { texts } = observation;
  if (isTextOperand(operand)) {
    if (isScored && holdsScores(observation.scores, operand)) return true;
    return texts.operand === operand && (texts.parts.length > 0 || texts.unreadable === true);
  }
  // An unknown operand may be about any message.
  if (!isMediaOperand(operand)) return true;
  return holdsMedia(observation, operand) || hasUnreadableFiles(observation.message);
}
