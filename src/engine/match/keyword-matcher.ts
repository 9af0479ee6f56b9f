/**
 * Finds every occurrence of every term in one pass over a text, overlaps included: the matcher of
 * plain folding.
 *
 * An instance of: Aho and Corasick's automaton (`keyword-automaton.ts`), stepped as a lazy DFA, as
 * a filter. Its input are UTF-16 units, folded and mapped to 64 columns (`alphabet.ts`). Rare units
 * share a column, so where terms may end the text is compared with them, unless no column of a term
 * is shared.
 *
 * State: a row of cells (`state-cache.ts`) for each state of the automaton that texts have reached,
 * `cells[(row << BITS) + column]`: the next row, with `ENDS` when terms end in its state, or
 * `UNKNOWN_CELL`. While a text is scanned, the visitor's closed terms, and `steps`.
 *
 * Invariants:
 * - Before each unit, the automaton's state stands for the longest suffix of the text read so far
 *   that is a prefix of a term, both as columns; a run of white space is one column. A suffix that
 *   begins inside a word counts for terms that need no word edge there.
 * - The terms that may end there are the outputs of the state, longest first: a chain
 *   (`outputBelow`).
 * - A cell says what the automaton says of its row's state and its column, and no cell depends on a
 *   text. When there is no room for a row, `#walk` steps the automaton itself: slower, with the
 *   same answers.
 * - An occurrence is visited once, at its end; in a run of white space, that is after its first
 *   unit. Word edges are tested there, on the sides where the term needs them.
 *
 * Cost: one read for a unit. A new cell follows failure links, once. Each open output of a state
 * where terms end takes a step, and what is compared is counted in `steps`, too. Rows take 4 MiB at
 * most.
 *
 * Example: terms `he`, `she`, `hers` as substrings: states h 1, s 2, he 3, sh 4, her 5, she 6, hers
 * 7. Text `ushers`:
 *   u     no term has it: state 0
 *   s h e states 2, 4, 6: terms end in 6. Its outputs are 6 and, by its failure link, 3: `she`
 *         from 1 to 4, then `he` from 2 to 4
 *   r     6 has no child by `r`, its failure 3 has: state 5
 *   s     state 7: `hers` from 2 to 6. Its longest proper suffix is 2, where no term ends
 *   again the rows of states 0, 2, 4 and 5 lead on without a call; those of 6 and 7 are reached by
 *         cells with `ENDS`
 */
import { inRanges, type Portions } from '../../foundation/portions.js';
import { type Alphabet, buildAlphabet, COLUMN_BITS, COLUMNS, OTHER } from './alphabet.js';
import { ClosedOutputs } from './closed-terms.js';
import { type Folding, isWhite } from './folding.js';
import { formattingEnd, isFormattingUnit } from './formatting.js';
import {
  buildKeywordAutomaton,
  failureOf,
  type KeywordAutomaton,
  outputBelow,
  outputOf,
  symbolOf,
} from './keyword-automaton.js';
import {
  Advice,
  afterAdvice,
  CachedScan,
  type ClosedTerms,
  type OnTerm,
  type RereadableMatcher,
} from './keyword-scan.js';
import type { Sequences } from './keyword-trie.js';
import { FLAG, StateCache, UNKNOWN } from './state-cache.js';
import { isWithinPair } from './surrogates.js';
import { TermPool } from './term-pool.js';
import { FREE_END, FREE_START, freeSidesOf, isWordEdge, type WordReading } from './word-edges.js';

export { Advice, type ClosedTerms, type KeywordMatcher, type OnTerm } from './keyword-scan.js';

/** Not `text.charCodeAt`, for reasons that `keyword-scan.ts` gives. */
const { charCodeAt } = String.prototype;

export interface KeywordOptions {
  readonly folding: Folding;
  /** The reading of all terms, or of each. */
  readonly words: WordReading | readonly WordReading[];
  /** So many rows of 128 bytes are kept at once; as many as cells can name when absent. */
  readonly rows?: number;
}

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const BITS = COLUMN_BITS;
const UNKNOWN_CELL = UNKNOWN;
/**
 * Set in a cell that leads to a state in which terms end, or by which formatting may stand within a
 * term.
 */
const ENDS = FLAG;
const { CONTINUE, SKIP_SHORTER, PATTERNS_ONLY, STOP } = Advice;
/** The state before a text, for which the first row is made. */
const ROOT = 0;
/** Sides of a term that need no word edge. */
const START = FREE_START;
const END = FREE_END;

/**
 * Compiles terms, in portions. Their indices are what `scan` reports; a blank term never matches.
 * Terms that are equal once folded, with the same reading, must be given once.
 */
export function* createKeywordMatcher(
  terms: readonly string[],
  { folding, words, rows }: KeywordOptions,
): Portions<RereadableMatcher> {
  const pool = yield* TermPool.of(terms, folding);
  const free = freeSidesOf(words, pool.count);
  const needsStarts = free.some((sides) => (sides & START) === 0);
  const needsEnds = free.some((sides) => (sides & END) === 0);
  const alphabet = yield* buildAlphabet(pool, folding, needsStarts);
  const { joins } = alphabet;
  const ofTerms: SequencesOfTerms = { sequences: alphabet.sequences, free };
  const { sequences, ...sides } = joins === undefined ? ofTerms : yield* withStartsInside(ofTerms, joins);
  const isMixed = needsEnds && free.some((ofTerm) => (ofTerm & END) !== 0);
  const automaton = yield* buildKeywordAutomaton(sequences, COLUMNS, joins, isMixed ? sides.free : undefined);
  return new AutomatonMatcher(pool, alphabet, automaton, { ...sides, needsStarts, needsEnds }, rows);
}

/** The terms as sequences of columns; after them, once more, those that may begin inside a word. */
interface SequencesOfTerms {
  readonly sequences: Sequences;
  /** Free sides: `FREE_START`, `FREE_END`, both, or neither. */
  readonly free: Uint8Array;
  /** The terms of the sequences after those of all terms. */
  readonly again?: readonly number[];
}

/**
 * Adds the sequences of terms that may begin inside a word once more, with symbol 0 before them.
 */
export function* withStartsInside(ofTerms: SequencesOfTerms, joins: Uint8Array): Portions<SequencesOfTerms> {
  const { free } = ofTerms;
  const { symbols, from, count } = ofTerms.sequences;
  const again: number[] = [];
  let length = symbols.length;
  yield* inRanges(count, (begin, end) => {
    for (let term = begin; term < end; term++) {
      const isEmpty = from[term] === from[term + 1];
      if ((free[term]! & START) === 0 || isEmpty || joins[symbols[from[term]!]!] !== 1) continue;
      again.push(term);
      length += from[term + 1]! - from[term]! + 1;
    }
  });
  if (again.length === 0) return ofTerms;
  const all = {
    count: count + again.length,
    symbols: new Int32Array(length),
    from: new Int32Array(count + again.length + 1),
  };
  const freeOfAll = new Uint8Array(all.count);
  all.symbols.set(symbols);
  all.from.set(from);
  freeOfAll.set(free);
  let at = symbols.length;
  yield* inRanges(again.length, (begin, end) => {
    for (let index = begin; index < end; index++) {
      const term = again[index]!;
      const termSymbols = symbols.subarray(from[term]!, from[term + 1]!);
      all.symbols.set(termSymbols, at + 1);
      at += termSymbols.length + 1;
      all.from[count + index + 1] = at;
      freeOfAll[count + index] = free[term]!;
    }
  });
  return { sequences: all, free: freeOfAll, again };
}

/** Free sides, and whether some term needs a word edge where it begins, or where it ends. */
interface Sides extends Omit<SequencesOfTerms, 'sequences'> {
  readonly needsStarts: boolean;
  readonly needsEnds: boolean;
}

class AutomatonMatcher extends CachedScan implements RereadableMatcher {
  readonly #pool: TermPool;
  readonly #automaton: KeywordAutomaton;
  readonly #white: number;
  readonly #ellipsis: Alphabet['ellipsis'];
  readonly #formatting: Uint8Array;
  readonly #lengths: Int32Array;
  readonly #unshared: Uint8Array;
  readonly #sides: Sides;
  #closed: ClosedOutputs | undefined;
  #hasRuns: boolean | undefined;
  steps = 0;

  constructor(pool: TermPool, alphabet: Alphabet, automaton: KeywordAutomaton, sides: Sides, rows: number | undefined) {
    super(alphabet.units, new StateCache(COLUMN_BITS, COLUMNS, rows));
    this.#pool = pool;
    this.#automaton = automaton;
    this.#white = alphabet.white;
    this.#ellipsis = alphabet.ellipsis;
    this.#formatting = alphabet.formatting;
    this.#lengths = alphabet.lengths;
    this.#unshared = alphabet.unshared;
    this.#sides = sides;
    this.rows.rowOf(ROOT);
  }

  createClosedTerms(): ClosedTerms {
    return new ClosedOutputs(this.#pool.count, this.#automaton.states, this.#automaton.outputInside !== undefined);
  }

  protected begin(_text: string, _onTerm: OnTerm, closed: ClosedTerms | undefined): number {
    this.#closed = closed as ClosedOutputs | undefined;
    this.#hasRuns = undefined;
    this.steps = 0;
    return 0;
  }

  protected end(_text: string, _onTerm: OnTerm, ended: number): number {
    return ended;
  }

  /**
   * Takes a unit whose cell is not known, or leads to where terms end; and more units while there
   * is no room for rows.
   */
  protected leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    if (at >= text.length) return at;
    const unit = this.units[charCodeAt.call(text, at)]!;
    const found = cell === UNKNOWN_CELL ? this.#find(row, unit) : cell;
    if (found === UNKNOWN_CELL) return this.#walk(text, at, this.rows.keys[row]!, onTerm);
    this.row = found & ~ENDS;
    if (found < ENDS) return at + 1;
    if (this.#formatting[unit] === 1) this.#noteFormatting(text, at, row);
    const state = this.rows.keys[this.row]!;
    if (outputOf(this.#automaton.table, state) < 0) return at + 1;
    return afterAdvice(this.#visit(text, state, at + 1, onTerm), at + 1);
  }

  /**
   * Notes a unit of formatting, if what stands after it may go on with the term that was begun.
   */
  #noteFormatting(text: string, at: number, row: number): void {
    if (this.hasFormatting || !isFormattingUnit(charCodeAt.call(text, at))) return;
    const next = formattingEnd(text, at);
    if (next === text.length) return;
    const unit = charCodeAt.call(text, next);
    // The text after the address of a link, or after a long run, is not looked at.
    this.hasFormatting =
      text.startsWith('](', next - 1) ||
      isFormattingUnit(unit) ||
      this.#goesOn(this.rows.keys[row]!, this.units[unit]!);
  }

  /** Reports whether a unit goes on with a term that was begun, and does not merely begin one. */
  #goesOn(state: number, column: number): boolean {
    const { startStates } = this.#automaton;
    const after = this.#step(state, column);
    if (after < startStates) return false;
    for (let start = ROOT; start < startStates; start++) if (after === this.#step(start, column)) return false;
    return true;
  }

  /**
   * Computes a cell and keeps it; `UNKNOWN_CELL` when there is no room for the row that it leads
   * to.
   */
  #find(row: number, column: number): number {
    const state = this.#step(this.rows.keys[row]!, column);
    const next = this.rows.rowOf(state);
    if (next < 0) return UNKNOWN_CELL;
    const { startStates, table } = this.#automaton;
    // Units of formatting leave the loop after the beginning of a term, and nowhere else.
    const isFormatting = this.#formatting[column] === 1 && this.rows.keys[row]! >= startStates;
    const cell = outputOf(table, state) < 0 && !isFormatting ? next : next | ENDS;
    this.rows.cells[(row << BITS) + column] = cell;
    return cell;
  }

  /**
   * Steps the automaton without rows from an offset on, until there is a row for its state. Returns
   * the offset, or a negative number.
   */
  #walk(text: string, from: number, before: number, onTerm: OnTerm): number {
    const rows = this.rows;
    let state = before;
    for (let at = from; at < text.length; ) {
      const column = this.units[charCodeAt.call(text, at++)]!;
      if (this.#formatting[column] === 1) this.hasFormatting = true;
      state = this.#step(state, column);
      if (outputOf(this.#automaton.table, state) >= 0) {
        const next = afterAdvice(this.#visit(text, state, at, onTerm), at);
        if (next < 0) return next;
      }
      if (rows.clearWhenStale()) rows.rowOf(ROOT);
      this.row = rows.rowOf(state);
      if (this.row >= 0) return at;
    }
    return text.length;
  }

  /**
   * The state after one more unit. A run of white space is one: within it, a state that white space
   * led to stays. `…` is three dots.
   */
  #step(state: number, column: number): number {
    const { startStates, step, table } = this.#automaton;
    const ellipsis = this.#ellipsis;
    if (column === ellipsis?.column) return step(step(step(state, ellipsis.dot), ellipsis.dot), ellipsis.dot);
    const isSameRun =
      column === this.#white && column !== OTHER && state >= startStates && symbolOf(table, state) === column;
    return isSameRun ? state : step(state, column);
  }

  /**
   * Visits the open terms that end in a state, if the text before `end` holds them, longest first.
   * Returns the visitor's advice.
   */
  #visit(text: string, state: number, end: number, onTerm: OnTerm): number {
    if (isWithinPair(text, end)) return CONTINUE;
    const { free, needsEnds, again } = this.#sides;
    const { ends, table, duplicate, outputInside } = this.#automaton;
    const isInside = needsEnds && !isWordEdge(text, end);
    if (isInside && (outputInside === undefined || outputInside[state]! < 0)) return CONTINUE;
    const endsInWhite = symbolOf(table, state) === this.#white && this.#white !== OTHER;
    if (endsInWhite && end > 1 && isWhite(charCodeAt.call(text, end - 2))) return CONTINUE;
    const closed = this.#closed;
    const { count } = this.#pool;
    const open = isInside ? closed?.inside : closed?.all;
    const outputs = isInside ? outputInside : undefined;
    for (let at = outputs?.[state] ?? outputOf(table, state); at >= 0; at = below(table, outputs, at)) {
      this.steps++;
      if (open !== undefined) {
        at = open.firstOpen(at);
        if (at < 0) break;
      }
      let isOpen = false;
      for (let sequence = ends[at]!; sequence >= 0; sequence = duplicate[sequence]!) {
        const term = sequence < count ? sequence : again![sequence - count]!;
        if ((isInside && (free[sequence]! & END) === 0) || closed?.has(term) === true) continue;
        isOpen = true;
        const start = this.#startOf(term, text, end);
        if (start < 0) continue;
        const advice = onTerm(term, start, endsInWhite ? endOfWhite(text, end) : end, 0);
        if (advice === SKIP_SHORTER) return CONTINUE;
        if (advice === PATTERNS_ONLY || advice === STOP) return advice;
      }
      if (!isOpen) open?.pass(at, below(table, outputs, at));
    }
    return CONTINUE;
  }

  /**
   * Whether the text holds white space after white space, or `…`; computed once in a scan, when it
   * is first needed.
   */
  #holdsRuns(text: string): boolean {
    if (this.#hasRuns === undefined) {
      this.#hasRuns = this.#ellipsis !== undefined && text.includes('…');
      for (let at = 1; at < text.length && !this.#hasRuns; at++)
        this.#hasRuns = isWhite(charCodeAt.call(text, at)) && isWhite(charCodeAt.call(text, at - 1));
    }
    return this.#hasRuns;
  }

  /**
   * Returns where a term begins whose columns the text holds before `end`; -1 when the text holds
   * other units or no word edge there.
   */
  #startOf(term: number, text: string, end: number): number {
    const length = this.#lengths[term]!;
    const needsEdge = this.#sides.needsStarts && (this.#sides.free[term]! & START) === 0;
    // Worth reading the whole text only where terms were compared for longer than that takes.
    if (length > 0 || (this.steps > text.length && !this.#holdsRuns(text))) {
      const start = end - Math.abs(length);
      // Before any comparison, so that nested terms in the midst of a word take one step each.
      if (needsEdge && !isWordEdge(text, start)) return -1;
      if (this.#unshared[term] === 1) return start;
    }
    const start = this.#pool.startOf(term, text, end);
    this.steps += this.#pool.compared;
    return start >= 0 && needsEdge && !isWordEdge(text, start) ? -1 : start;
  }
}

/** The next shorter output; with `outputs` of those where a term may end inside a word. */
function below(table: Int32Array, outputs: Int32Array | undefined, output: number): number {
  return outputs === undefined ? outputBelow(table, output) : outputs[failureOf(table, output)]!;
}

function endOfWhite(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhite(charCodeAt.call(text, at))) at++;
  return at;
}
