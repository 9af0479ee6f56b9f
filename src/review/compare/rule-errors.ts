/** The errors of two rule sets, and those that only one of them has. */
import { errorsOf, type Issue } from '../../engine/compile/issue.js';
import { asFields, asList, asString, type Fields } from '../../engine/compile/untrusted.js';
import type { RuleSetInput } from '../../engine/engine.js';

/** Issues of severity `error` on both sides of a diff: what is not evaluated as it is written. */
export interface SideErrors {
  /** Errors of the new rules. */
  readonly rules: readonly Issue[];
  /** Errors of the old rules. */
  readonly against: readonly Issue[];
  /**
   * Errors that only the new rules have: with another code, or about another rule, condition, list
   * or value.
   */
  readonly added: readonly Issue[];
  /** Errors that only the old rules have. */
  readonly removed: readonly Issue[];
}

/** A rule set with the issues of its engine. */
interface JudgedRules {
  readonly ruleSet: RuleSetInput;
  readonly issues: readonly Issue[];
}

/** Compares the errors of both sides. An error that only moved to another position is not new. */
export function compareErrors(rules: JudgedRules, against: JudgedRules): SideErrors {
  const [newErrors, oldErrors] = [keyed(rules), keyed(against)];
  return {
    rules: newErrors.map(({ issue }) => issue),
    against: oldErrors.map(({ issue }) => issue),
    added: without(newErrors, oldErrors),
    removed: without(oldErrors, newErrors),
  };
}

/** An error with a key that identifies what it is about. */
interface KeyedError {
  readonly key: string;
  readonly issue: Issue;
}

function keyed({ ruleSet, issues }: JudgedRules): readonly KeyedError[] {
  const keyOf = keysOf(ruleSet);
  return errorsOf({ issues }).map((issue) => ({ key: keyOf(issue), issue }));
}

/**
 * Returns the errors that are not in the second list. They are compared by number too: the same
 * thing may have the same error several times.
 */
function without(errors: readonly KeyedError[], excluded: readonly KeyedError[]): readonly Issue[] {
  const left = new Map<string, number>();
  for (const { key } of excluded) left.set(key, (left.get(key) ?? 0) + 1);
  return errors.flatMap(({ key, issue }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count > 0 ? [] : [issue];
  });
}

/**
 * Returns a function that identifies what an error is about, independent of its position: its code,
 * the rule, condition or list, and the value there.
 */
function keysOf({ rules, lists }: RuleSetInput): (issue: Issue) => string {
  const [ruleOf, listOf] = [byId(rules), byId(lists)];
  const conditionsOf = new Map<unknown, ReadonlyMap<unknown, Fields>>();
  return ({ code, ruleId, conditionId, listId, index }) => {
    if (!conditionsOf.has(ruleId)) conditionsOf.set(ruleId, byId(ruleOf.get(ruleId)?.conditions));
    const list = listOf.get(listId);
    const condition = conditionsOf.get(ruleId)?.get(conditionId);
    const values = list?.searchTerms ?? (conditionId === undefined ? ruleOf.get(ruleId)?.filters : condition?.value);
    const value = index === undefined ? undefined : asList(values)[index];
    return JSON.stringify([code, ruleId, conditionId, listId, asString(value) ?? typeof value]);
  };
}

function byId(items: unknown): ReadonlyMap<unknown, Fields> {
  return new Map(
    asList(items).flatMap((item) => {
      const fields = asFields(item);
      return fields === undefined ? [] : [[fields.id, fields] as const];
    }),
  );
}
