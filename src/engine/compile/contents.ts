/** The contents of a compiled rule set: its rules, the terms and patterns that they look for, and what of it can stop nothing. */
import type { Semantics } from '../semantics.js';
import { isMeantToStop } from './actions.js';
import type { CompiledRuleSet } from './compiled-rule-set.js';
import type { Issue, IssueCode } from './issue.js';
import { textOperands } from './operands.js';
import type { Reference } from './references.js';
import { noteSlips } from './slips.js';
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
      const place = { ruleId: rules[rule]!.id, conditionId, kind: kinds[index]!, written };
      yield { ...place, ...(listId !== undefined && { listId }) };
    }
  }
}

/** Parts of a rule set that cannot stop a message, and whether any rule can. */
export interface Idleness {
  readonly canStop: boolean;
  readonly parts: readonly Pick<Issue, 'ruleId' | 'conditionId' | 'listId' | 'index' | 'detail'>[];
}

const idleCodes = new Set<IssueCode>(['joined-terms', 'unread-pattern', 'unflagged-list', 'empty-list']);

/**
 * Returns what of a rule set stops nothing and was meant to: issues, and rules that find nothing. Rules in shadow or with other
 * actions are named only if no rule can stop a message.
 */
export function idlenessOf(compiled: CompiledRuleSet, semantics: Semantics): Idleness {
  const { rules, conditions, verdicts } = compiled;
  const failing = rules.filter(({ actions }) => actions.length === 0 || isMeantToStop(actions)).map(({ id }) => id);
  const joined = new Set(joinedHolders(compiled));
  const issues = compiled.issues.filter(({ code, ruleId = '', listId = ruleId }) => {
    if (code === 'unknown-action') return failing.includes(ruleId);
    return code === 'joined-terms' ? joined.has(listId) : idleCodes.has(code);
  });
  const named = new Set(issues.map(({ ruleId }) => ruleId));
  const finding = findingConditions(compiled);
  const found = rules.map(({ filterError, firstCondition, endCondition }) => {
    const own = finding.slice(firstCondition, endCondition);
    return filterError === undefined && (semantics.conditions === 'all' ? own.every(Boolean) : own.some(Boolean));
  });
  const decides = rules.map(({ rank, shadow }) => !shadow && stops(verdicts[rank]));
  const canStop = rules.some((_, index) => decides[index] && found[index]);
  const parts = rules.flatMap(({ id, shadow, firstCondition, endCondition }, index) => {
    const own = conditions.slice(firstCondition, endCondition);
    // Parts that could not be compiled are errors, which are reported as such.
    const isBroken = own.some(({ compileError }) => compileError !== undefined);
    if (named.has(id) || (canStop && (!decides[index] || found[index] || isBroken))) return [];
    const other = shadow ? 'is in shadow' : 'has no action that stops a message';
    return [{ ruleId: id, detail: decides[index] ? 'looks for nothing that can be found' : other }];
  });
  return { canStop, parts: [...issues, ...parts] };
}

/** Reports whether a term or pattern is found in practically no message. Words on several lines are found as a phrase. */
function isIdle(written: string, isWords: boolean): boolean {
  let isSlip = false;
  noteSlips(written, { isWords, whole: false }, (code) => {
    isSlip ||= code === 'unread-pattern' || (code === 'joined-terms' && !/[\n\r]/.test(written.trim()));
  });
  return isSlip;
}

/** Yields the lists, and the rules, that have several words on one line. */
function* joinedHolders({ rules, conditions, words, issues }: CompiledRuleSet): Generator<string> {
  if (issues.every(({ code }) => code !== 'joined-terms')) return;
  for (const operand of textOperands) {
    for (const { written, listId, condition } of words.references[operand].references)
      if (isIdle(written, true)) yield listId ?? rules[conditions[condition]!.rule]!.id;
  }
}

/** Returns for each condition whether something of what it looks for can be found. */
function findingConditions({ rules, conditions, words, patterns, issues }: CompiledRuleSet): boolean[] {
  const finding = conditions.map(({ thresholds }) => thresholds.length > 0);
  const nameOf = (ruleId: string, id: number, value: string) => JSON.stringify([ruleId, id, value]);
  const unflagged = new Set(
    issues.flatMap(({ code, ruleId = '', conditionId = 0, listId = '' }) =>
      code === 'unflagged-list' ? [nameOf(ruleId, conditionId, listId)] : [],
    ),
  );
  const take = (isWords: boolean, references: readonly Reference[]) => {
    for (const { condition, written, listId } of references) {
      if (finding[condition]) continue;
      const { rule, id } = conditions[condition]!;
      const isList = listId === undefined && unflagged.has(nameOf(rules[rule]!.id, id, written));
      finding[condition] = !isList && !isIdle(written, isWords);
    }
  };
  for (const operand of textOperands) {
    take(true, words.references[operand].references);
    if (patterns.set !== undefined) take(false, patterns.references[operand].references);
  }
  return finding;
}
