/** The contents of a compiled rule set: its rules, and the terms and patterns that they look for. */
import type { CompiledRuleSet } from './compiled-rule-set.js';
import { textOperands } from './operands.js';
import type { Reference } from './references.js';

/** A rule that runs. */
export interface EngineRule {
  readonly ruleId: string;
  /** For people; the id when the rule has no name. */
  readonly ruleName: string;
  /** The ids of all of its conditions, broken ones included, as decisions name them. */
  readonly conditionIds: readonly number[];
}

/** A term or a pattern that a condition looks for. */
export interface EngineReference {
  readonly ruleId: string;
  readonly conditionId: number;
  readonly kind: 'word' | 'pattern';
  /** The term or pattern as its author wrote it. */
  readonly written: string;
  /** The keyword list that holds it; absent for one in the rule itself. */
  readonly listId?: string;
}

export function* runningRulesOf({ rules, conditions }: CompiledRuleSet): Generator<EngineRule> {
  for (const { id, name, firstCondition, endCondition } of rules) {
    const conditionIds = conditions.slice(firstCondition, endCondition).map((condition) => condition.id);
    yield { ruleId: id, ruleName: name, conditionIds };
  }
}

export function* referencesOf({ rules, conditions, words, patterns }: CompiledRuleSet): Generator<EngineReference> {
  const found: Reference[][] = conditions.map(() => []);
  // A condition looks for terms or for patterns.
  const kinds: EngineReference['kind'][] = [];
  const take = (kind: EngineReference['kind'], references: readonly Reference[]) => {
    for (const reference of references) {
      found[reference.condition]!.push(reference);
      kinds[reference.condition] = kind;
    }
  };
  for (const operand of textOperands) {
    take('word', words.references[operand].references);
    take('pattern', patterns.references[operand].references);
  }
  for (const [index, { rule, id: conditionId }] of conditions.entries()) {
    for (const { written, listId } of found[index]!) {
      const place = { ruleId: rules[rule]!.id, conditionId, kind: kinds[index]!, written };
      yield { ...place, ...(listId !== undefined && { listId }) };
    }
  }
}
