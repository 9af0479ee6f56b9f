/**
 * Sequences of symbols as a trie, level by level: its states are what the keyword automaton is made
 * of.
 */
import { inRanges, PORTION, type Portions } from '../../foundation/portions.js';

/**
 * Sequences of symbols: number `n` is `symbols[from[n]]` up to but not including `symbols[from[n +
 * 1]]`.
 */
export interface Sequences {
  readonly count: number;
  readonly symbols: Int32Array;
  readonly from: Int32Array;
}

/** States are numbered level by level, siblings side by side. */
export interface KeywordTrie {
  readonly states: number;
  /**
   * Children of a state are the states from `firstChild[state]` up to but not including
   * `firstChild[state + 1]`.
   */
  readonly firstChild: Int32Array;
  /** The symbol that leads into a state; siblings ascend by it. */
  readonly label: Int32Array;
  /** A sequence that ends at a state, or -1. */
  readonly ends: Int32Array;
  /** Another sequence of the same symbols, or -1; by sequence. */
  readonly duplicate: Int32Array;
  /**
   * The work of building: how often a sequence was sorted into a state, once for each of its
   * symbols and once at its end.
   */
  readonly steps: number;
}

/**
 * Builds the trie, in portions; empty sequences are left out. With two `startStates`, state 1 is a
 * child of the root by symbol 0, a leaf if no sequence begins with that symbol. Elsewhere no
 * sequence holds it.
 */
export function* buildTrie(sequences: Sequences, startStates: 1 | 2): Portions<KeywordTrie> {
  const { symbols } = sequences;
  let largest = 0;
  yield* inRanges(symbols.length, (begin, end) => {
    for (let at = begin; at < end; at++) largest = Math.max(largest, symbols[at]!);
  });
  const builder = new TrieBuilder(sequences, largest, startStates);
  while (builder.addStates()) yield;
  return builder.trie();
}

class TrieBuilder {
  readonly #sequences: Sequences;
  readonly #startStates: 1 | 2;
  readonly #firstChild: Int32Array;
  readonly #label: Int32Array;
  /** A state stands for a run of `#order`: the sequences that begin alike. */
  readonly #order: Int32Array;
  readonly #runStart: Int32Array;
  readonly #runEnd: Int32Array;
  readonly #ends: Int32Array;
  readonly #duplicate: Int32Array;
  readonly #partition: ReturnType<typeof createPartition>;
  /** States that there are, and of these, how many have their children. */
  #states = 1;
  #done = 0;
  #depth = 0;
  #levelEnd = 1;
  #steps = 0;

  constructor(sequences: Sequences, largest: number, startStates: 1 | 2) {
    const most = sequences.symbols.length + startStates;
    this.#sequences = sequences;
    this.#startStates = startStates;
    this.#firstChild = new Int32Array(most + 1);
    this.#label = new Int32Array(most);
    this.#order = withoutEmpty(sequences);
    this.#runStart = new Int32Array(most);
    this.#runEnd = new Int32Array(most);
    this.#ends = new Int32Array(most);
    this.#duplicate = new Int32Array(sequences.count).fill(-1);
    this.#partition = createPartition(sequences, largest, this.#order);
    this.#runEnd[0] = this.#order.length;
  }

  /**
   * Adds the children of further states, in some `PORTION` steps. Returns whether there are more.
   */
  addStates(): boolean {
    const { symbols, from } = this.#sequences;
    const [firstChild, label, order, runStart, runEnd] = [
      this.#firstChild,
      this.#label,
      this.#order,
      this.#runStart,
      this.#runEnd,
    ];
    const ends = this.#ends;
    const duplicate = this.#duplicate;
    const partition = this.#partition;
    const due = this.#steps + PORTION;
    let state = this.#done;
    let states = this.#states;
    let steps = this.#steps;
    for (; state < states && steps < due; state++) {
      if (state === this.#levelEnd) {
        this.#depth++;
        this.#levelEnd = states;
      }
      const depth = this.#depth;
      firstChild[state] = states;
      ends[state] = -1;
      const start = runStart[state]!;
      const end = runEnd[state]!;
      steps += end - start;
      if (end - start > 1) partition(start, end, depth);
      if (state === 0 && (start === end || symbols[from[order[start]!]!] !== 0)) states = this.#startStates;
      let next = start;
      while (next < end && from[order[next]! + 1]! - from[order[next]!]! === depth) next++;
      for (let at = next - 1; at >= start; at--) {
        duplicate[order[at]!] = ends[state]!;
        ends[state] = order[at]!;
      }
      while (next < end) {
        const symbol = symbols[from[order[next]!]! + depth]!;
        label[states] = symbol;
        runStart[states] = next;
        while (next < end && symbols[from[order[next]!]! + depth] === symbol) next++;
        runEnd[states++] = next;
      }
    }
    this.#done = state;
    this.#states = states;
    this.#steps = steps;
    return state < states;
  }

  trie(): KeywordTrie {
    const states = this.#states;
    this.#firstChild[states] = states;
    return {
      states,
      firstChild: this.#firstChild.subarray(0, states + 1),
      label: this.#label.subarray(0, states),
      ends: this.#ends.slice(0, states),
      duplicate: this.#duplicate,
      steps: this.#steps,
    };
  }
}

/** The sequences that are not empty, ascending. */
function withoutEmpty({ from, count }: Sequences): Int32Array {
  const kept = new Int32Array(count);
  let filled = 0;
  for (let sequence = 0; sequence < count; sequence++) {
    if (from[sequence]! < from[sequence + 1]!) kept[filled++] = sequence;
  }
  return kept.subarray(0, filled);
}

/**
 * Puts a run of sequences that begin alike in the order of their next symbol, those that have none
 * first; stable. A counting sort: one level of the trie reads one symbol of each sequence, however
 * much sequences have in common.
 */
function createPartition({ symbols, from }: Sequences, largest: number, order: Int32Array) {
  const counts = new Int32Array(largest + 1);
  const present = new Int32Array(largest + 1);
  const moved = new Int32Array(order.length);
  /** Symbol 0, which no sequence holds, stands for the end of one. */
  const symbolAt = (sequence: number, depth: number): number => {
    const at = from[sequence]! + depth;
    return at < from[sequence + 1]! ? symbols[at]! : 0;
  };
  return (start: number, end: number, depth: number): void => {
    let kinds = 0;
    for (let at = start; at < end; at++) {
      const symbol = symbolAt(order[at]!, depth);
      if (counts[symbol]!++ === 0) present[kinds++] = symbol;
    }
    if (kinds > 1) {
      let next = start;
      for (const symbol of present.subarray(0, kinds).sort()) {
        const count = counts[symbol]!;
        counts[symbol] = next;
        next += count;
      }
      for (let at = start; at < end; at++) moved[counts[symbolAt(order[at]!, depth)]!++] = order[at]!;
      for (let at = start; at < end; at++) order[at] = moved[at]!;
    }
    for (let kind = 0; kind < kinds; kind++) counts[present[kind]!] = 0;
  };
}
