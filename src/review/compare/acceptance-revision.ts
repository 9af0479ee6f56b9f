/** The revision that a person names to accept the rule set that a moderator holds back. */
import { namesLists } from '../../engine/compile/list-flags.js';
import { asFields, asList, type Fields } from '../../engine/compile/untrusted.js';
import { digestInPortions } from '../../foundation/digest.js';
import { type Portions, runWithPauses } from '../../foundation/portions.js';

/**
 * The parts of a rule set that decide. They are not validated: malformed ones have a digest too.
 */
interface RuleSetParts {
  readonly rules: readonly unknown[];
  readonly lists?: readonly unknown[] | undefined;
  readonly semantics?: unknown;
}

/**
 * Returns a digest of everything in a rule set that decides: its rules and lists, in the order of
 * their ids, and its readings. Fields that a platform adds (`revisionId`, times, names) or writes
 * in another form (one value in place of an array) are left out, so that the same rules in a file
 * and on a platform have the same revision. Pauses while it works, and rejects with the reason of
 * `signal`.
 */
export function acceptanceRevision(ruleSet: RuleSetParts, signal?: AbortSignal): Promise<string> {
  return runWithPauses(acceptanceParts(ruleSet), signal);
}

function* acceptanceParts({ rules, lists, semantics }: RuleSetParts): Portions<string> {
  const deciding = {
    rules: asList(rules).map(asObject).map(decidingRule).sort(byId),
    lists: asList(lists).map(asObject).map(decidingList).sort(byId),
    semantics: semantics ?? {},
  };
  return yield* digestInPortions(deciding);
}

function asObject(value: unknown): Fields {
  return asFields(value) ?? {};
}

function byId(left: { readonly id: unknown }, right: { readonly id: unknown }): number {
  const [leftId, rightId] = [String(left.id), String(right.id)];
  return leftId === rightId ? 0 : leftId < rightId ? -1 : 1;
}

function decidingRule({ id, enabled, active, action, filters, conditions }: Fields) {
  return {
    id,
    flags: [enabled ?? true, active ?? true],
    action: asList(action),
    filters: asList(filters).map(asObject).map(decidingFilter),
    conditions: asList(conditions).map(asObject).map(decidingCondition),
  };
}

function decidingList({ id, isCSV, searchTerms }: Fields) {
  return { id, isCSV: isCSV === true, searchTerms };
}

function decidingFilter({ type, entity, operand, operator, value }: Fields) {
  return [type, entity, operand, operator, asList(value)];
}

function decidingCondition(condition: Fields, index: number) {
  const { id, entity, operand, category, operator, value } = condition;
  const kinds = [entity ?? 'message', operand, category ?? 'word', operator ?? 'contains'];
  return [id ?? index + 1, ...kinds, namesLists(condition), asList(value)];
}
