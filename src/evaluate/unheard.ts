/**
 * What could not be answered: conditions whose operand is present in the message and whose rule did not match anyway.
 * A rule that cannot be asked is neither a match nor a clean bill, and the decision says so.
 */
import type { CompiledCondition, CompiledRule, CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { FilterCheck } from '../compile/filter.js';
import type { Semantics } from '../semantics.js';
import type { Unheard } from './decision.js';
import { askFilters } from './filters.js';
import type { Marks } from './marks.js';
import { hasScores, holdsMedia } from './media.js';
import type { Observation } from './observation.js';

type Reason = Pick<Unheard, 'why' | 'detail'>;

/** Lists them, in the order of rules and conditions. */
export function findUnheard(
  compiled: CompiledRuleSet,
  semantics: Semantics,
  seen: Observation,
  marks: Marks,
  matched: ReadonlySet<CompiledRule>,
): readonly Unheard[] {
  const unheard: Unheard[] = [];
  for (const rule of compiled.rules) {
    if (matched.has(rule)) continue;
    const filters = askFilters(rule.filters, seen.message);
    if (filters.answer === 'fails') continue;
    const ofRule = reasonOfRule(rule, filters.lacking);
    for (let index = rule.firstCondition; index < rule.endCondition; index++) {
      const condition = compiled.conditions[index]!;
      if (!isPresent(condition.operand, seen)) continue;
      const reason = ofRule ?? reasonOfCondition(condition, semantics, seen, marks);
      if (reason !== undefined) unheard.push({ ruleId: rule.id, conditionId: condition.id, ...reason });
    }
  }
  return unheard;
}

/** Why nothing of the rule could be answered. */
function reasonOfRule({ filterTrouble }: CompiledRule, lacking: FilterCheck | undefined): Reason | undefined {
  if (filterTrouble !== undefined) return { why: 'not-compiled', detail: filterTrouble };
  if (lacking === undefined) return undefined;
  const party = lacking.subject === 'sender' ? 'sender' : 'receiver';
  return {
    why: 'not-answerable',
    detail: `a filter asks for the ${party}'s \`${lacking.operand}\`, which the message does not carry`,
  };
}

function reasonOfCondition(
  condition: CompiledCondition,
  semantics: Semantics,
  seen: Observation,
  marks: Marks,
): Reason | undefined {
  if (condition.trouble !== undefined) return { why: 'not-compiled', detail: condition.trouble };
  if (marks.fault !== undefined && condition.patterns.length > 0) return { why: 'engine-fault', detail: marks.fault };
  if (condition.thresholds.length === 0 || hasScores(condition.operand, seen.media)) return undefined;
  if (semantics.missingScores === 'block') return undefined;
  return { why: 'no-scores', detail: `no scores were given for the ${condition.operand}` };
}

/** Whether the message holds what the operand is about. */
function isPresent(operand: string, { message, texts, media }: Observation): boolean {
  if (operand === 'text' || operand === 'custom') return texts.operand === operand && texts.parts.length > 0;
  return operand !== '' && holdsMedia(message, operand, media);
}
