/** Maps each term or pattern to the conditions that refer to it. */
import { PORTION, type Portions } from '../../foundation/portions.js';

/**
 * A condition's reference to a term or a pattern: the condition, the entry as written, and the list
 * that holds it, if any.
 */
export interface Reference {
  /** Index into `CompiledRuleSet.conditions`. */
  readonly condition: number;
  readonly written: string;
  readonly listId?: string;
  readonly listRevisionId?: string;
  /** Scopes of the exceptions that apply to its matches; absent where none does. */
  readonly scopes?: readonly number[];
}

/**
 * References sorted by key: those to key `n` are `references[from[n]]` up to but not including
 * `references[from[n + 1]]`.
 */
export interface ReferenceIndex {
  readonly from: Int32Array;
  readonly references: readonly Reference[];
}

/**
 * Sorts references by key, in portions. `keys[n]` is the term or pattern that `references[n]`
 * refers to, from 0 to `count - 1`.
 */
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

/**
 * Collects the references that repeat an earlier one of their condition: to the same key, with the
 * same exceptions. No index has them, so that a match is reported once, by the term that was
 * written first.
 */
export class Repetitions {
  /** The references that repeat an earlier one, by the earlier one. */
  readonly byFirst = new Map<Reference, Reference[]>();
  readonly #firsts = new Map<number, Reference[]>();
  #condition = -1;

  /**
   * Reports whether a reference repeats an earlier one. References of one condition are given in a
   * row.
   */
  take(reference: Reference, key: number): boolean {
    if (this.#condition !== reference.condition) this.#firsts.clear();
    this.#condition = reference.condition;
    const firsts = this.#firsts.get(key);
    const first = firsts?.find(({ scopes }) => String(scopes) === String(reference.scopes));
    const repeating = first && this.byFirst.get(first);
    if (repeating !== undefined) repeating.push(reference);
    else if (first !== undefined) this.byFirst.set(first, [reference]);
    else if (firsts === undefined) this.#firsts.set(key, [reference]);
    else firsts.push(reference);
    return first !== undefined;
  }
}
