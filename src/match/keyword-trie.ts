/** Sequences of symbols as a trie, level by level: its states are what the keyword automaton is made of. */

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
  readonly twin: Int32Array;
}

/** Builds the trie; empty sequences are left out. With two `bases`, state 1 is a child of the root by symbol 0, a leaf. */
export function buildTrie(sequences: Sequences, bases: 1 | 2): KeywordTrie {
  const { symbols, from, count } = sequences;
  const sorted = sortSequences(sequences);
  const most = symbols.length + bases;
  const firstChild = new Int32Array(most + 1);
  const label = new Int32Array(most);
  // A state stands for a run of sorted sequences that begin alike.
  const runStart = new Int32Array(most);
  const runEnd = new Int32Array(most);
  const ends = new Int32Array(most).fill(-1);
  const twin = new Int32Array(count).fill(-1);
  let states = 1;
  runEnd[0] = sorted.length;
  for (let state = 0, depth = 0, levelEnd = 1; state < states; state++) {
    if (state === levelEnd) {
      depth++;
      levelEnd = states;
    }
    firstChild[state] = states;
    if (state === 0) states = bases;
    let next = runStart[state]!;
    for (; next < runEnd[state]!; next++) {
      const sequence = sorted[next]!;
      if (from[sequence + 1]! - from[sequence]! > depth) break;
      twin[sequence] = ends[state]!;
      ends[state] = sequence;
    }
    while (next < runEnd[state]!) {
      const symbol = symbols[from[sorted[next]!]! + depth]!;
      label[states] = symbol;
      runStart[states] = next;
      while (next < runEnd[state]! && symbols[from[sorted[next]!]! + depth] === symbol) next++;
      runEnd[states++] = next;
    }
  }
  firstChild[states] = states;
  return {
    states,
    firstChild: firstChild.slice(0, states + 1),
    label: label.slice(0, states),
    ends: ends.slice(0, states),
    twin,
  };
}

/** Sequences that are not empty, by their symbols, shorter ones before those that they begin. */
function sortSequences({ symbols, from, count }: Sequences): Int32Array {
  const kept = new Int32Array(count);
  let filled = 0;
  for (let sequence = 0; sequence < count; sequence++) {
    if (from[sequence]! < from[sequence + 1]!) kept[filled++] = sequence;
  }
  return kept.subarray(0, filled).sort((a, b) => {
    const endA = from[a + 1]!;
    const endB = from[b + 1]!;
    let atA = from[a]!;
    let atB = from[b]!;
    while (atA < endA && atB < endB) {
      const difference = symbols[atA++]! - symbols[atB++]!;
      if (difference !== 0) return difference;
    }
    return endA - atA - (endB - atB) || b - a;
  });
}
