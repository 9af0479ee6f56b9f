/**
 * The automaton over all terms, as sequences of symbols. What symbols are is up to the matchers.
 *
 * An instance of: Aho and Corasick's automaton, a trie with failure links, in flat arrays: five
 * numbers (20 bytes) hold a state. Reads of these arrays are in bounds by construction, hence the
 * `!`. It differs in one thing. Where words matter, most sequences may not begin between two
 * symbols that join; a second start state, `INSIDE` a word, stands for all that ended in a joining
 * symbol. Only those sequences begin there that were given with symbol 0 before them. So a scan
 * stays in `INSIDE` until a word is over, instead of following what the word has in common with the
 * middle of terms.
 *
 * State: for each state its children (one number after the other, ascending by symbol), its symbol,
 * its failure link and its output: itself or the next state down the failure links where a sequence
 * ends. It is immutable, and `step` has no memory.
 *
 * Invariants:
 * - After any symbols, `step` has led to the state of the longest suffix of these that is a prefix
 *   of a sequence which may begin where the suffix does. States below the root stand for prefixes
 *   that began at an edge of a word, states below `INSIDE` for those that began within one.
 * - The sequences that end there are those of the chain `outputOf`, `outputBelow`, longest first.
 * - A failure link leads to the longest proper suffix that is a prefix in that sense, which has
 *   fewer symbols; 0 does not count.
 *
 * Cost: building takes at most three steps for a symbol. `step` follows failure links, over a text
 * no more than it has symbols, each with a binary search among children; the matchers cache it.
 *
 * Example: `cat` as a word and `at` as a suffix of words, so as `at` and, with symbol 0, once more:
 * root 0, `INSIDE` 1, a 2, c 3, ·a 4 (· for within a word), at 5, ca 6, ·at 7, cat 8.
 *   `cat`   states 3, 6, 8: outputs 8 and, by its failure link, 7: `cat`, and `at` within a word
 *   `ccat`  3, then 1, since `cc` begins nothing and ends in a letter; 4, 7: only `at`
 *   `c at`  3, 0, 2, 5: `at` after an edge
 */
import { inRanges, type Portions } from '../../foundation/portions.js';
import { buildTrie, type KeywordTrie, type Sequences } from './keyword-trie.js';
import { FREE_END } from './word-edges.js';

export interface KeywordAutomaton {
  readonly states: number;
  /** States of which no sequence is a part: the root, and `INSIDE` where words matter. */
  readonly startStates: 1 | 2;
  /**
   * Four numbers for each state, side by side for the caches: what `firstChildOf` and the other
   * readers below return.
   */
  readonly table: Int32Array;
  /** A sequence that ends at a state, or -1. */
  readonly ends: Int32Array;
  /** Another sequence of the same symbols, or -1; by sequence. */
  readonly duplicate: Int32Array;
  /**
   * First output of each state at which a sequence ends that needs no edge after it, or -1. Absent
   * without `free`.
   */
  readonly outputInside: Int32Array | undefined;
  /**
   * The work of building: steps of the trie and failures that were followed. At most three for a
   * symbol and one for a sequence.
   */
  readonly steps: number;
  /** The state after one more symbol. */
  step(state: number, symbol: number): number;
}

// Not exported: an imported constant is read from memory at every use.
const STRIDE = 4;
const FIRST_CHILD = 0;
const LABEL = 1;
const FAILURE = 2;
const OUTPUT = 3;
/** The lower half of `LABEL` is the symbol, the upper one the number of children. */
const SYMBOL_BITS = 16;
const SYMBOL = (1 << SYMBOL_BITS) - 1;

/**
 * The start state inside a word: a child of the root by symbol 0, which a sequence has as its first
 * symbol or not at all.
 */
const INSIDE = 1;

/**
 * Builds the automaton. Symbols are more than 0 and less than `alphabet`, which is at most 65,536;
 * empty sequences are left out. `joins`, where words matter, is 1 for each symbol that joins words;
 * symbol 0 does, and stands for those that no sequence holds. A sequence that begins with symbol 0
 * has a joining one after it: it begins inside a word. `free`, by sequence, has `FREE_END` for
 * those that need no edge after them; it is given where there are some of these, and others.
 */
export function* buildKeywordAutomaton(
  sequences: Sequences,
  alphabet: number,
  joins?: Uint8Array,
  free?: Uint8Array,
): Portions<KeywordAutomaton> {
  if (alphabet > SYMBOL + 1)
    throw new RangeError(`terms of ${alphabet} different letters are more than an automaton takes`);
  const startStates = joins === undefined ? 1 : 2;
  const trie = yield* buildTrie(sequences, startStates);
  const { states, duplicate, ends } = trie;
  const table = yield* tabulate(trie);
  const emptyAfter = (symbol: number) => (joins?.[symbol] === 1 ? INSIDE : 0);
  const startNext = stepsFromStart(trie, alphabet, startStates, emptyAfter);
  const step = (from: number, symbol: number): number => {
    let state = from;
    while (state >= startStates) {
      const child = childBy(table, state, symbol);
      if (child >= 0) return child;
      state = failureOf(table, state);
    }
    return startNext[state * alphabet + symbol]!;
  };
  // Level by level, for suffixes are shorter. One that begins inside a word may be as deep, but
  // comes before: `INSIDE` is the first child of the root. A failure has fewer symbols than where
  // it is followed from and a child one more, so that along a sequence no more failures are
  // followed than it has symbols.
  const outputInside = free === undefined ? undefined : new Int32Array(states).fill(-1);
  let { steps } = trie;
  yield* inRanges(states, (first, behind) => {
    for (let state = first; state < behind; state++) {
      const failure = failureOf(table, state);
      const begin = firstChildOf(table, state);
      const end = begin + childCountOf(table, state);
      for (let child = Math.max(begin, startStates); child < end; child++) {
        const symbol = symbolOf(table, child);
        let suffix = state < startStates ? emptyAfter(symbol) : -1;
        for (let from = failure; suffix < 0; from = failureOf(table, from), steps++)
          suffix = from < startStates ? startNext[from * alphabet + symbol]! : childBy(table, from, symbol);
        table[child * STRIDE + FAILURE] = suffix;
        table[child * STRIDE + OUTPUT] = ends[child]! >= 0 ? child : outputOf(table, suffix);
        if (free === undefined) continue;
        let sequence = ends[child]!;
        while (sequence >= 0 && (free[sequence]! & FREE_END) === 0) sequence = duplicate[sequence]!;
        outputInside![child] = sequence >= 0 ? child : outputInside![suffix]!;
      }
    }
  });
  return { states, startStates, table, ends, duplicate, outputInside, steps, step };
}

/**
 * Returns the state after each symbol, for each start state. `emptyAfter` has the start state
 * after a symbol that begins no sequence.
 */
function stepsFromStart(
  { firstChild, label }: KeywordTrie,
  alphabet: number,
  startStates: number,
  emptyAfter: (symbol: number) => number,
): Int32Array {
  const next = new Int32Array(alphabet * startStates);
  for (let symbol = 0; symbol < alphabet; symbol++) next[symbol] = emptyAfter(symbol);
  for (let child = 1; child < firstChild[1]!; child++) next[label[child]!] = child;
  if (startStates === 1) return next;
  for (let symbol = 0; symbol < alphabet; symbol++) next[alphabet + symbol] = emptyAfter(symbol) || next[symbol]!;
  for (let child = firstChild[INSIDE]!; child < firstChild[INSIDE + 1]!; child++)
    next[alphabet + label[child]!] = child;
  return next;
}

/**
 * The first of a state's children, which have one number after the other and ascend by their
 * symbols.
 */
export function firstChildOf(table: Int32Array, state: number): number {
  return table[state * STRIDE + FIRST_CHILD]!;
}

/** The number of children of a state. */
export function childCountOf(table: Int32Array, state: number): number {
  return table[state * STRIDE + LABEL]! >>> SYMBOL_BITS;
}

/** The symbol that leads into a state. */
export function symbolOf(table: Int32Array, state: number): number {
  return table[state * STRIDE + LABEL]! & SYMBOL;
}

/** The longest proper suffix of a state that is a state. */
export function failureOf(table: Int32Array, state: number): number {
  return table[state * STRIDE + FAILURE]!;
}

/**
 * The state itself when a sequence ends there, else the longest suffix of it where one does, or -1.
 */
export function outputOf(table: Int32Array, state: number): number {
  return table[state * STRIDE + OUTPUT]!;
}

/** The next shorter suffix of a state where a sequence ends, or -1. */
export function outputBelow(table: Int32Array, state: number): number {
  return outputOf(table, failureOf(table, state));
}

function childBy(table: Int32Array, state: number, symbol: number): number {
  let low = firstChildOf(table, state);
  let high = low + childCountOf(table, state);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = symbolOf(table, middle);
    if (found === symbol) return middle;
    if (found < symbol) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** The table without failures, which the trie does not have. */
function* tabulate({ states, firstChild, label }: KeywordTrie): Portions<Int32Array> {
  const table = new Int32Array(states * STRIDE);
  yield* inRanges(states, (begin, end) => {
    for (let state = begin; state < end; state++) {
      const at = state * STRIDE;
      const first = firstChild[state]!;
      const count = firstChild[state + 1]! - first;
      table[at + FIRST_CHILD] = count > 0 ? first : 0;
      table[at + LABEL] = label[state]! | (count << SYMBOL_BITS);
      table[at + OUTPUT] = -1;
    }
  });
  return table;
}
