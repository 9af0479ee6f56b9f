/**
 * The contents of a compiled rule set: its rules, the terms and patterns that they look for, and
 * what of it can stop nothing.
 */
import type { Semantics } from '../semantics.js';
import type { CompiledRuleSet } from './compiled-rule-set.js';
import type { Issue } from './issue.js';
import { textOperands } from './operands.js';
import type { Reference } from './references.js';
import { isIdleTerm } from './slips.js';
import { stops } from './verdicts.js';

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
      const location = { ruleId: rules[rule]!.id, conditionId, kind: kinds[index]!, written };
      yield { ...location, ...(listId !== undefined && { listId }) };
    }
  }
}

/** Parts of a rule set that cannot stop a message, and whether any rule can. */
interface Idleness {
  readonly canStop: boolean;
  readonly parts: readonly Pick<Issue, 'ruleId' | 'conditionId' | 'listId' | 'index' | 'detail'>[];
}

/**
 * Returns what of a rule set stops nothing and was meant to: issues, and rules that find nothing.
 * Rules in shadow or with other actions are named only if no rule can stop a message.
 */
export function idlenessOf(compiled: CompiledRuleSet, { conditions: reading }: Semantics): Idleness {
  const { rules, conditions, verdicts, idle } = compiled;
  const finding = findingConditions(compiled);
  const named = new Set(idle.map(({ ruleId }) => ruleId));
  const found = rules.map(({ id, shadow, rank, filterError, firstCondition, endCondition }) => {
    const found = finding.slice(firstCondition, endCondition);
    const canMatch = filterError === undefined && found.some(Boolean) && (reading !== 'all' || found.every(Boolean));
    // Parts that could not be compiled are errors, which are reported as such.
    const isBroken = conditions.slice(firstCondition, endCondition).some((each) => each.compileError !== undefined);
    const isMeant = !shadow && stops(verdicts[rank]);
    const cause = shadow ? 'is in shadow' : 'has no action that stops a message';
    const detail = isMeant ? 'looks for nothing that can be found' : cause;
    return { ruleId: id, detail, canStop: isMeant && canMatch, isSaid: isMeant && !isBroken };
  });
  const canStop = found.some((rule) => rule.canStop);
  const silent = found.filter((rule) => !rule.canStop && !named.has(rule.ruleId) && (!canStop || rule.isSaid));
  return { canStop, parts: [...idle, ...silent.map(({ ruleId, detail }) => ({ ruleId, detail }))] };
}

/** Returns for each condition whether something of what it looks for can be found. */
function findingConditions({ rules, conditions, words, patterns, idle }: CompiledRuleSet): boolean[] {
  const finding = conditions.map(({ thresholds }) => thresholds.length > 0);
  const unflagged = idle.filter(({ code }) => code === 'unflagged-list');
  const take = (isWords: boolean, { condition, written, listId }: Reference) => {
    if (finding[condition]) return;
    const { rule, id } = conditions[condition]!;
    const isList = ({ ruleId, conditionId, listId: named }: Issue) =>
      named === written && conditionId === id && ruleId === rules[rule]!.id;
    finding[condition] = !isIdleTerm(written, isWords) && (listId !== undefined || !unflagged.some(isList));
  };
  for (const operand of textOperands) {
    for (const reference of words.references[operand].references) take(true, reference);
    for (const reference of patterns.references[operand].references) take(false, reference);
  }
  return finding;
}
