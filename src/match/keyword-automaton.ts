/**
 * The Aho-Corasick automaton over all terms, compact: states are numbered level by level with siblings side by side, so
 * that the target of an edge is its own position and five numbers (20 bytes) hold a state. What its symbols are is the
 * matchers' business: words when whole words are looked for, characters otherwise. Reads of typed arrays are in bounds
 * by construction, hence the `!`.
 */
export interface KeywordAutomaton {
  readonly states: number;
  /** Children of a state are the states from `firstChild[state]` up to but not including `firstChild[state + 1]`. */
  readonly firstChild: Int32Array;
  /** The symbol that leads into a state; siblings ascend by it. */
  readonly label: Int32Array;
  /** Longest proper suffix of a state that is a state; always of an earlier number. */
  readonly failure: Int32Array;
  /** A sequence that ends at a state, or -1. */
  readonly ends: Int32Array;
  /** Another sequence of the same symbols, or -1; by sequence. */
  readonly twin: Int32Array;
  /** The state itself when a sequence ends there, else the longest suffix of it where one does, or -1. */
  readonly output: Int32Array;
  readonly bytes: number;
  /** The state after one more symbol. */
  step(state: number, symbol: number): number;
}

/** Sequences of symbols: number `n` is `symbols[from[n]]` up to but not including `symbols[from[n + 1]]`. */
export interface Sequences {
  readonly count: number;
  readonly symbols: Int32Array;
  readonly from: Int32Array;
}

/** Builds the automaton. Symbols are at least 0 and less than `alphabet`; empty sequences are left out. */
export function buildKeywordAutomaton(sequences: Sequences, alphabet: number): KeywordAutomaton {
  const { firstChild, label, ends, twin } = buildTrie(sequences);
  const states = label.length;
  const rootNext = new Int32Array(alphabet);
  for (let child = 1; child < firstChild[1]!; child++) rootNext[label[child]!] = child;
  const failure = new Int32Array(states);
  const output = new Int32Array(states).fill(-1);
  const step = (from: number, symbol: number): number => {
    let state = from;
    while (state !== 0) {
      const child = childOf(firstChild, label, state, symbol);
      if (child >= 0) return child;
      state = failure[state]!;
    }
    return rootNext[symbol]!;
  };
  for (let state = 0; state < states; state++) {
    for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++) {
      const suffix = state === 0 ? 0 : step(failure[state]!, label[child]!);
      failure[child] = suffix;
      output[child] = ends[child]! >= 0 ? child : output[suffix]!;
    }
  }
  const bytes = states * 20 + twin.byteLength + rootNext.byteLength;
  return { states, firstChild, label, failure, ends, twin, output, bytes, step };
}

function childOf(firstChild: Int32Array, label: Int32Array, state: number, symbol: number): number {
  let low = firstChild[state]!;
  let high = firstChild[state + 1]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = label[middle]!;
    if (found === symbol) return middle;
    if (found < symbol) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** The trie, level by level: a state stands for a run of sorted sequences that begin alike. */
function buildTrie(sequences: Sequences) {
  const { symbols, from, count } = sequences;
  const sorted = sortSequences(sequences);
  const most = symbols.length + 1;
  const firstChild = new Int32Array(most + 1);
  const label = new Int32Array(most);
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
