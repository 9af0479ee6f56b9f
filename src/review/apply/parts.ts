/** Rules and keyword lists as the parts of a plan. */
import { asFields, asList } from '../../engine/compile/untrusted.js';
import { exceptionLists } from '../../engine/semantics.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { collections, listsNamedBy, type Part, type PartKind, partDigest } from '../../platform/loader/part-form.js';

/** The rules and keyword lists of a platform. */
export type LiveParts = Pick<RuleSet, 'rules' | 'lists'>;

/** A part by its kind and id. */
export interface PartName {
  readonly kind: PartKind;
  readonly id: string;
}

/** A part as it is to be; without a `part` it is to go. */
export interface Wanted extends PartName {
  readonly part: Part | undefined;
}

/** The digest of a part that is not there. */
export const absent = 'absent';

/** The digest of a part that may be absent. */
export const stateOf = (kind: PartKind, part: Part | undefined) =>
  part === undefined ? absent : partDigest(kind, part);

/**
 * Returns the ids of the lists that exceptions name and no rule does. A platform has no exceptions.
 */
export function listsOfExceptions(ruleSet: LiveParts & Pick<RuleSet, 'semantics'>): Set<string> {
  const ids = new Set(exceptionLists(ruleSet.semantics));
  for (const rule of partsById(ruleSet, 'rule').values()) for (const id of listsNamedBy(rule as Rule)) ids.delete(id);
  return ids;
}

/** Returns the parts of a kind by id; of two with one id the first counts. */
export function partsById(ruleSet: Pick<RuleSet, 'rules' | 'lists'>, kind: PartKind): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const part of asList(ruleSet[collections[kind]]) as readonly Part[]) {
    const id: unknown = asFields(part)?.id;
    if (typeof id === 'string' && id !== '' && !parts.has(id)) parts.set(id, part);
  }
  return parts;
}
