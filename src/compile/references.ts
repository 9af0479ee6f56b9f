import { PORTION, type Portions } from '../portions.js';

/** A condition's reference to a term or a pattern: the condition, the entry as written, and the list that holds it, if any. */
export interface Reference {
  /** Index into `CompiledRuleSet.conditions`. */
  readonly condition: number;
  readonly written: string;
  readonly listId?: string;
  readonly listRevisionId?: string;
  /** Scopes of the exceptions that apply to its matches; absent where none does. */
  readonly scopes?: readonly number[];
}

/** References sorted by key: those to key `n` are `references[from[n]]` up to but not including `references[from[n + 1]]`. */
export interface ReferenceIndex {
  readonly from: Int32Array;
  readonly references: readonly Reference[];
}

/** Sorts references by key, in portions. `keys[n]` is the term or pattern that `references[n]` refers to, from 0 to `count - 1`. */
export function* indexReferences(
  references: readonly Reference[],
  keys: readonly number[],
  count: number,
): Portions<ReferenceIndex> {
  const from = new Int32Array(count + 1);
  for (const key of keys) from[key + 1]!++;
  for (let key = 0; key < count; key++) from[key + 1]! += from[key]!;
  const next = from.slice();
  const sorted = new Array<Reference>(references.length);
  yield;
  for (const [index, reference] of references.entries()) {
    sorted[next[keys[index]!]!++] = reference;
    if (index % PORTION === 0) yield;
  }
  return { from, references: sorted };
}
