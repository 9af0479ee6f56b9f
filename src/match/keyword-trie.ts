/** Sequences of symbols as a trie, level by level: its states are what the keyword automaton is made of. */
import { PORTION, type Portions } from '../portions.js';

/** Sequences of symbols: number `n` is `symbols[from[n]]` up to but not including `symbols[from[n + 1]]`. */
export interface Sequences {
  readonly count: number;
  readonly symbols: Int32Array;
  readonly from: Int32Array;
}

/** States are numbered level by level, siblings side by side. */
export interface KeywordTrie {
  readonly states: number;
  /** Children of a state are the states from `firstChild[state]` up to but not including `firstChild[state + 1]`. */
  readonly firstChild: Int32Array;
  /** The symbol that leads into a state; siblings ascend by it. */
  readonly label: Int32Array;
  /** A sequence that ends at a state, or -1. */
  readonly ends: Int32Array;
  /** Another sequence of the same symbols, or -1; by sequence. */
  readonly duplicate: Int32Array;
  /** The work of building: how often a sequence was sorted into a state, once for each of its symbols and once at its end. */
  readonly steps: number;
}

/** Builds the trie; empty sequences are left out. With two `startStates`, state 1 is a child of the root by symbol 0, a leaf. */
export function* buildTrie(sequences: Sequences, startStates: 1 | 2): Portions<KeywordTrie> {
  const { symbols, from, count } = sequences;
  const most = symbols.length + startStates;
  const firstChild = new Int32Array(most + 1);
  const label = new Int32Array(most);
  // A state stands for a run of `order`: the sequences that begin alike.
  const order = withoutEmpty(sequences);
  const runStart = new Int32Array(most);
  const runEnd = new Int32Array(most);
  const ends = new Int32Array(most).fill(-1);
  const duplicate = new Int32Array(count).fill(-1);
  const partition = createPartition(sequences, order);
  let states = 1;
  let steps = 0;
  let due = PORTION;
  runEnd[0] = order.length;
  for (let state = 0, depth = 0, levelEnd = 1; state < states; state++) {
    if (state === levelEnd) {
      depth++;
      levelEnd = states;
    }
    firstChild[state] = states;
    if (state === 0) states = startStates;
    const start = runStart[state]!;
    const end = runEnd[state]!;
    steps += end - start;
    if (steps > due) {
      due = steps + PORTION;
      yield;
    }
    if (end - start > 1) partition(start, end, depth);
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
  firstChild[states] = states;
  return {
    states,
    firstChild: firstChild.subarray(0, states + 1),
    label: label.subarray(0, states),
    ends: ends.slice(0, states),
    duplicate,
    steps,
  };
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
 * Puts a run of sequences that begin alike in the order of their next symbol, those that have none first; stable. A
 * counting sort: one level of the trie reads one symbol of each sequence, however much sequences have in common.
 */
function createPartition({ symbols, from }: Sequences, order: Int32Array) {
  let largest = 0;
  for (let at = 0; at < symbols.length; at++) largest = Math.max(largest, symbols[at]!);
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
