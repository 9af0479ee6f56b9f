/** The states of the lazy automaton, each found by its active instructions. */
import type { TransitionBuilder } from './transitions.js';

/**
 * Numbers of a state in the table: offset and number of its instructions, its context, its hash.
 */
const STRIDE = 4;

/**
 * The states of the automaton: a set of active instructions and a context each. Equal states are
 * stored once, and numbered in the order in which they are entered, from 0. There are at most
 * `limit` of them, with `entries` active instructions in all; one state always fits.
 */
export class PatternStates {
  /** Largest number of states. */
  readonly limit: number;
  readonly #transitions: TransitionBuilder;
  readonly #entries: number;
  /**
   * Active instructions of all states: those of a state are `lengthOf(state)` entries from
   * `from(state)` on.
   */
  waiting = new Int32Array(1024);
  /** Number of calls of `flush`. */
  flushes = 0;
  #used = 0;
  #count = 0;
  #table = new Int32Array(STRIDE * 64);
  /** States by hash, with open addressing; -1 for a free slot. */
  #slots = new Int32Array(256).fill(-1);

  constructor(transitions: TransitionBuilder, limit: number, entries: number) {
    this.#transitions = transitions;
    this.limit = limit;
    this.#entries = entries;
  }

  from(state: number): number {
    return this.#table[STRIDE * state]!;
  }

  lengthOf(state: number): number {
    return this.#table[STRIDE * state + 1]!;
  }

  contextOf(state: number): number {
    return this.#table[STRIDE * state + 2]!;
  }

  /**
   * Returns the state of the transition builder's result, which is added if it is new; -1 if there
   * is no room for it.
   */
  enter(): number {
    const hash = this.#hash();
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot]! >= 0; slot = (slot + 1) & mask) {
      const state = this.#slots[slot]!;
      if (this.#table[STRIDE * state + 3] !== hash) continue;
      const from = this.from(state);
      if (this.#transitions.isSame(this.waiting, from, from + this.lengthOf(state), this.contextOf(state)))
        return state;
    }
    const isFull = this.#count > 0 && this.#used + this.#transitions.count > this.#entries;
    if (this.#count === this.limit || isFull) return -1;
    this.#slots[slot] = this.#count;
    const state = this.#add(hash);
    if (2 * this.#count > this.#slots.length) this.#rehash();
    return state;
  }

  /** Forgets all states. */
  flush(): void {
    this.#used = 0;
    this.#count = 0;
    this.flushes++;
    this.#slots.fill(-1);
  }

  #hash(): number {
    const { context, count, threads } = this.#transitions;
    // The order of the instructions depends on the path to the state: the hash is a sum, which does
    // not.
    let hash = context;
    for (let at = 0; at < count; at++) {
      const mixed = Math.imul(threads[at]! + 1, 0x9e3779b1);
      hash = (hash + Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)) | 0;
    }
    return hash ^ (hash >>> 13);
  }

  #add(hash: number): number {
    const { context, count, threads } = this.#transitions;
    const used = this.#used;
    const first = STRIDE * this.#count;
    if (used + count > this.waiting.length) this.waiting = grown(this.waiting, used + count);
    for (let at = 0; at < count; at++) this.waiting[used + at] = threads[at]!;
    if (first === this.#table.length) this.#table = grown(this.#table, 0);
    this.#table.set([used, count, context, hash], first);
    this.#used += count;
    return this.#count++;
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length).fill(-1);
    const mask = slots.length - 1;
    for (let state = 0; state < this.#count; state++) {
      let slot = this.#table[STRIDE * state + 3]! & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = state;
    }
    this.#slots = slots;
  }
}

/**
 * Returns a copy of an array with room for twice as many numbers, or for `least` when that is more.
 */
export function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(2 * array.length, least));
  larger.set(array);
  return larger;
}
