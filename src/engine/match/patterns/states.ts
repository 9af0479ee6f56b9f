import type { TransitionBuilder } from './transitions.js';

/** The states of the automaton: a set of active instructions and a context each. Equal states are stored once. */
export interface PatternStates {
  /** Largest number of states. */
  readonly limit: number;
  /** Active instructions of all states: those of a state are `lengthOf(state)` entries from `from(state)` on. */
  readonly waiting: Int32Array;
  /** Number of calls of `flush`. */
  readonly flushes: number;
  from(state: number): number;
  lengthOf(state: number): number;
  contextOf(state: number): number;
  /** The state of the transition builder's result, added when it is new; -1 when there is no room for it. */
  enter(): number;
  flush(): void;
}

/** Makes an empty table for at most `limit` states with `entries` active instructions in all; one state always fits. */
export function createPatternStates(transitions: TransitionBuilder, limit: number, entries: number): PatternStates {
  let waiting = new Int32Array(1024);
  let used = 0;
  let count = 0;
  let flushes = 0;
  // Per state: offset and number of its instructions, its context, its hash.
  let table = new Int32Array(4 * 64);
  let slots = new Int32Array(256).fill(-1);

  const hashOf = () => {
    // The order of the instructions depends on the path to the state: the hash is a sum, which does not.
    let hash = transitions.context;
    for (let at = 0; at < transitions.count; at++) {
      const mixed = Math.imul(transitions.threads[at]! + 1, 0x9e3779b1);
      hash = (hash + Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)) | 0;
    }
    return hash ^ (hash >>> 13);
  };

  const add = (hash: number): number => {
    if (used + transitions.count > waiting.length) waiting = grown(waiting, used + transitions.count);
    for (let at = 0; at < transitions.count; at++) waiting[used + at] = transitions.threads[at]!;
    if (4 * count === table.length) table = grown(table, 0);
    table[4 * count] = used;
    table[4 * count + 1] = transitions.count;
    table[4 * count + 2] = transitions.context;
    table[4 * count + 3] = hash;
    used += transitions.count;
    return count++;
  };

  const rehash = () => {
    slots = new Int32Array(2 * slots.length).fill(-1);
    const mask = slots.length - 1;
    for (let state = 0; state < count; state++) {
      let slot = table[4 * state + 3]! & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = state;
    }
  };

  return {
    limit,
    get waiting() {
      return waiting;
    },
    get flushes() {
      return flushes;
    },
    from: (state) => table[4 * state]!,
    lengthOf: (state) => table[4 * state + 1]!,
    contextOf: (state) => table[4 * state + 2]!,
    enter: () => {
      const hash = hashOf();
      const mask = slots.length - 1;
      let slot = hash & mask;
      for (; slots[slot]! >= 0; slot = (slot + 1) & mask) {
        const state = slots[slot]!;
        if (table[4 * state + 3] !== hash) continue;
        const from = table[4 * state]!;
        if (transitions.isSame(waiting, from, from + table[4 * state + 1]!, table[4 * state + 2]!)) return state;
      }
      if (count === limit || (count > 0 && used + transitions.count > entries)) return -1;
      slots[slot] = count;
      const state = add(hash);
      if (2 * count > slots.length) rehash();
      return state;
    },
    flush: () => {
      used = 0;
      count = 0;
      flushes++;
      slots.fill(-1);
    },
  };
}

/** A copy of an array with room for twice as many numbers, or for `least` when that is more. */
export function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(2 * array.length, least));
  larger.set(array);
  return larger;
}
