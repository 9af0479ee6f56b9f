import { PORTION, type Portions } from '../portions.js';

/** A condition's reference to a term or a pattern: the condition, the entry as written, and the list that holds it, if any. */
export interface Reference {
  /** Index into `CompiledRuleSet.conditions`. */
  readonly condition: number;
  readonly written: string;
  readonly listId?: string;
  readonly listRevisionId?: string;
  /** Scopes of the exceptions that apply to its matches, one array for all references of the same; absent where none does. */
  readonly scopes?: readonly number[];
}

/** References sorted by key: those to key `n` are `references[from[n]]` up to but not including `references[from[n + 1]]`. */
export interface ReferenceIndex {
  readonly from: Int32Array;
  readonly references: readonly Reference[];
  /** Present where exceptions apply to some of the references: the parts of keys that have the same scopes. */
  readonly slots?: Slots;
}

/** Slots by key: the references of a key in runs of equal scopes, so that an occurrence is excepted for all of a slot or for none. */
export interface Slots {
  /** Those of key `n` are slots `of[n]` up to but not including `of[n + 1]`. */
  readonly of: Int32Array;
  /** The references of slot `n` are `references[from[n]]` up to but not including `references[from[n + 1]]`. */
  readonly from: Int32Array;
  readonly count: number;
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
  if (!sorted.some(({ scopes }) => scopes !== undefined)) return { from, references: sorted };
  return { from, references: sorted, slots: yield* indexSlots(from, sorted) };
}

/** Sorts the references of each key by their scopes, in portions, in the order in which these first occur. */
function* indexSlots(from: Int32Array, references: Reference[]): Portions<Slots> {
  const of = new Int32Array(from.length);
  const starts: number[] = [];
  const runs = new Map<Reference['scopes'], Reference[]>();
  let left = PORTION;
  for (let key = 0; key < from.length - 1; key++) {
    runs.clear();
    for (let at = from[key]!; at < from[key + 1]!; at++) {
      const reference = references[at]!;
      const run = runs.get(reference.scopes);
      if (run === undefined) runs.set(reference.scopes, [reference]);
      else run.push(reference);
    }
    let at = from[key]!;
    for (const run of runs.values()) {
      starts.push(at);
      for (const reference of run) references[at++] = reference;
    }
    of[key + 1] = starts.length;
    left -= at - from[key]! + 1;
    if (left < 0) {
      left = PORTION;
      yield;
    }
  }
  starts.push(references.length);
  return { of, from: Int32Array.from(starts), count: starts.length - 1 };
}
