/** Rules and keyword lists, which are the parts that a plan writes. */
import { asFields, asList } from '../../engine/compile/untrusted.js';
import { exceptionLists } from '../../engine/semantics.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { collections, listsNamedBy, type Part, type PartKind, partDigest } from '../../platform/loader/part-form.js';

/** The rules and keyword lists of a platform. */
export type LiveParts = Pick<RuleSet, 'rules' | 'lists'>;

/** The kind and the id of a rule or a list. */
export interface PartName {
  readonly kind: PartKind;
  readonly id: string;
}

/** The wanted state of a rule or a list. If `part` is absent, it is to be deleted. */
export interface Wanted extends PartName {
  readonly part: Part | undefined;
}

/** Stands for the digest of a part that does not exist. */
export const absent = 'absent';

/** Returns the digest of a part, or `absent`. */
export const stateOf = (kind: PartKind, part: Part | undefined) =>
  part === undefined ? absent : partDigest(kind, part);

/**
 * Returns the ids of the lists that only exceptions name, and no rule. Platforms have no
 * exceptions.
 */
export function listsOfExceptions(ruleSet: LiveParts & Pick<RuleSet, 'semantics'>): Set<string> {
  const ids = new Set(exceptionLists(ruleSet.semantics));
  for (const rule of partsById(ruleSet, 'rule').values()) for (const id of listsNamedBy(rule as Rule)) ids.delete(id);
  return ids;
}

/** Returns the parts of a kind by id. If two have the same id, the first counts. */
export function partsById(ruleSet: Pick<RuleSet, 'rules' | 'lists'>, kind: PartKind): Map<string, Part> {
  const byId = new Map<string, Part>();
  for (const part of asList(ruleSet[collections[kind]]) as readonly Part[]) {
    const id: unknown = asFields(part)?.id;
    if (typeof id === 'string' && id !== '' && !byId.has(id)) byId.set(id, part);
  }
  return byId;
}
