/** Rules and keyword lists as the parts of a plan. */
import { asFields, asList } from '../../engine/compile/untrusted.js';
import type { Rule } from '../../platform/contract/rule.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { collections, formOf, type Part, type PartKind, partDigest } from '../../platform/loader/part-form.js';

/** Parts of a platform: its rules, the keyword lists that these or the plan name, and the number of lists that it did not bring itself. */
export interface LiveParts extends Pick<RuleSet, 'rules' | 'lists'> {
  readonly customLists: number;
}

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

/** A name of a part that is unique among rules and lists. */
export const nameOf = ({ kind, id }: PartName) => `${kind} ${id}`;

/** The digest of a part that may be absent. */
export const stateOf = (kind: PartKind, part: Part | undefined) =>
  part === undefined ? absent : partDigest(kind, part);

export function listsNamedBy(rule: Rule): string[] {
  const { conditions } = formOf('rule', rule) as {
    readonly conditions: readonly { lists: boolean; value: readonly unknown[] }[];
  };
  return conditions.flatMap(({ lists, value }) =>
    lists ? value.filter((id) => typeof id === 'string' && id !== '') : [],
  ) as string[];
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
