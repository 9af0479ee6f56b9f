/**
 * Finds every occurrence of every term in one pass over a text, overlaps included. It has no notion of rules.
 *
 * The automaton is stepped by UTF-16 units, many of which share a column, so what it finds is compared with the term. A state gets a
 * row of cells when a text first reaches it; from then on a unit takes one read. Where words matter, no term begins inside a word,
 * and both edges of an occurrence are tested.
 */
import { buildAlphabet, COLUMN_BITS, COLUMNS, JointAlphabet, OTHER } from './alphabet.js';
import { ClosedOutputs } from './closed-terms.js';
import { type Folding, isWhite } from './folding.js';
import { buildKeywordAutomaton, type KeywordAutomaton, outputBelow, outputOf, symbolOf } from './keyword-automaton.js';
import { Advice, type ClosedTerms, type KeywordMatcher, type OnTerm } from './keyword-scan.js';
import { endPattern, type PatternDfa, resumePatternDfa, STALLED, stepPatternTo } from './patterns/lazy-dfa.js';
import { FLAG, StateCache, UNKNOWN } from './state-cache.js';
import { TermPool } from './term-pool.js';
import { isWordEdge } from './word-edges.js';

export { Advice, type ClosedTerms, type KeywordMatcher, type OnTerm } from './keyword-scan.js';

/**
 * Called so, a read takes the same time for any string. There are many kinds (of one byte or two, put together, cut out), and
 * once more than four came by, V8 looks `text.charCodeAt` up for every character: three times as long for the whole scan.
 */
const { charCodeAt } = String.prototype;

export interface KeywordOptions {
  readonly folding: Folding;
  /** `word`: both ends of a match are word edges. */
  readonly words: 'word' | 'substring';
  /** So many rows of 128 bytes are kept at once; as many as cells can name when absent. */
  readonly rows?: number;
}

/** Constants of this file are part of the compiled code; imported ones are read at every use, which took a seventh of a scan. */
const BITS = COLUMN_BITS;
const LAST_COLUMN = COLUMNS - 1;
const UNKNOWN_CELL = UNKNOWN;
/** Set in a cell that leads to a state in which terms end. */
const ENDS = FLAG;
/** The row of the root, before a text. */
const FIRST_ROW = 0;
/** What `#leave` returns instead of an offset after the advice `STOP`; after `END_TERMS` it is `TERMS_ENDED` less the offset. */
const STOPPED = -1;
const TERMS_ENDED = -2;
const { CONTINUE, SKIP_SHORTER, END_TERMS, STOP } = Advice;
/** The state before a text, for which the first row is made. */
const ROOT = 0;

/**
 * Compiles terms. Their indices are what `scan` reports; a blank term never matches. Terms that are equal once folded
 * must be given once.
 */
export function createKeywordMatcher(terms: readonly string[], options: KeywordOptions): KeywordMatcher {
  return new AutomatonMatcher(terms, options);
}

/** A class, so that many engines share the code that was compiled for one: closures of two engines are two functions. */
class AutomatonMatcher implements KeywordMatcher {
  readonly states: number;
  readonly classes: number;
  readonly bytes: number;
  readonly #pool: TermPool;
  readonly #automaton: KeywordAutomaton;
  readonly #units: Uint8Array;
  readonly #white: number;
  readonly #lengths: Int32Array;
  readonly #rows: StateCache;
  readonly #wholeWords: boolean;
  /** The row to go on in after `#leave`. */
  #row = FIRST_ROW;
  readonly #joint: JointAlphabet;
  #closed: ClosedOutputs | undefined;
  #hasRuns: boolean | undefined;
  steps = 0;

  constructor(terms: readonly string[], { folding, words, rows }: KeywordOptions) {
    const pool = new TermPool(terms, folding);
    const alphabet = buildAlphabet(pool, folding, words);
    const automaton = buildKeywordAutomaton(alphabet.sequences, COLUMNS, alphabet.joins);
    this.#pool = pool;
    this.#automaton = automaton;
    this.#units = alphabet.units;
    this.#joint = new JointAlphabet(alphabet.units);
    this.#white = alphabet.white;
    this.#lengths = alphabet.lengths;
    this.#wholeWords = words === 'word';
    this.#rows = new StateCache(COLUMN_BITS, COLUMNS, rows);
    this.#rows.rowOf(ROOT);
    this.states = automaton.states;
    this.classes = alphabet.width;
    this.bytes = automaton.bytes + pool.bytes + alphabet.units.byteLength + alphabet.lengths.byteLength;
  }

  createClosedTerms(): ClosedTerms {
    return new ClosedOutputs(this.#pool.count, this.states);
  }

  scan(text: string, onTerm: OnTerm, closed?: ClosedTerms): void {
    this.#begin(closed);
    this.#scanFrom(text, 0, FIRST_ROW, onTerm);
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa, closed?: ClosedTerms): boolean {
    this.#begin(closed);
    const joint = this.#joint.with(dfa);
    const { length } = text;
    let pattern = dfa.begin();
    let row = FIRST_ROW;
    for (let at = 0; ; ) {
      const { cells } = this.#rows;
      const { rows } = dfa;
      let cell = 0;
      // No call in here, and nothing but locals: both chains of reads go on side by side. One question for both, which
      // `ENDS` answers with its highest bit, takes 5 % less than two; one table for both alphabets 10 %.
      for (; at < length; at++) {
        const both = joint[charCodeAt.call(text, at)]!;
        const to = rows[pattern + (both >> BITS)]!;
        cell = cells[(row << BITS) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        row = cell;
      }
      if (at >= length) return endPattern(dfa, pattern);
      const left = this.#leave(text, at, row, cell, onTerm);
      if (left === STOPPED) return true;
      const next = left < 0 ? TERMS_ENDED - left : left;
      pattern = stepPatternTo(dfa, pattern, text, at, next);
      if (left < 0) return pattern >= 0 && resumePatternDfa(dfa, text, pattern, next) !== STALLED;
      if (pattern < 0) {
        this.#scanFrom(text, next, this.#row, onTerm);
        return false;
      }
      at = next;
      row = this.#row;
    }
  }

  #begin(closed: ClosedTerms | undefined): void {
    this.#closed = closed as ClosedOutputs | undefined;
    this.#hasRuns = undefined;
    this.steps = 0;
  }

  #scanFrom(text: string, from: number, first: number, onTerm: OnTerm): void {
    const units = this.#units;
    const { length } = text;
    let row = first;
    for (let at = from; ; ) {
      const { cells } = this.#rows;
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(row << BITS) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= ENDS) break;
        row = cell;
      }
      if (at >= length) return;
      at = this.#leave(text, at, row, cell, onTerm);
      if (at < 0) return;
      row = this.#row;
    }
  }

  /**
   * Takes the character at an offset, and others until there is a row. Returns the offset of the next one, `STOPPED`, or
   * `TERMS_ENDED` less that offset.
   */
  #leave(text: string, at: number, row: number, cell: number, onTerm: OnTerm): number {
    const found = cell === UNKNOWN_CELL ? this.#find(row, this.#units[charCodeAt.call(text, at)]!) : cell;
    if (found === UNKNOWN_CELL) return this.#walk(text, at, this.#rows.keys[row]!, onTerm);
    this.#row = found & ~ENDS;
    return found >= ENDS ? after(this.#visit(text, this.#rows.keys[this.#row]!, at + 1, onTerm), at + 1) : at + 1;
  }

  /** Finds out a cell. */
  #find(row: number, column: number): number {
    const state = this.#step(this.#rows.keys[row]!, column);
    const next = this.#rows.rowOf(state);
    if (next < 0) return UNKNOWN_CELL;
    const cell = outputOf(this.#automaton.table, state) < 0 ? next : next | ENDS;
    this.#rows.cells[(row << BITS) + column] = cell;
    return cell;
  }

  /** The slow way, until there is a row. */
  #walk(text: string, from: number, before: number, onTerm: OnTerm): number {
    const rows = this.#rows;
    let state = before;
    for (let at = from; at < text.length; ) {
      state = this.#step(state, this.#units[charCodeAt.call(text, at++)]!);
      if (outputOf(this.#automaton.table, state) >= 0) {
        const next = after(this.#visit(text, state, at, onTerm), at);
        if (next < 0) return next;
      }
      if (rows.clearWhenStale()) rows.rowOf(ROOT);
      this.#row = rows.rowOf(state);
      if (this.#row >= 0) return at;
    }
    return text.length;
  }

  /** Within a run of white space, which is one, a state that white space led to stays. */
  #step(state: number, column: number): number {
    const { startStates, step, table } = this.#automaton;
    const isSameRun =
      column === this.#white && column !== OTHER && state >= startStates && symbolOf(table, state) === column;
    return isSameRun ? state : step(state, column);
  }

  /** Compares the terms that end in a state with the text. Returns the visitor's advice. */
  #visit(text: string, state: number, end: number, onTerm: OnTerm): number {
    if (isWithinPair(text, end) || (this.#wholeWords && !isWordEdge(text, end))) return CONTINUE;
    const { ends, table, duplicate } = this.#automaton;
    const endsInWhite = symbolOf(table, state) === this.#white && this.#white !== OTHER;
    if (endsInWhite && end > 1 && isWhite(charCodeAt.call(text, end - 2))) return CONTINUE;
    const closed = this.#closed;
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      this.steps++;
      if (closed !== undefined) {
        at = closed.firstOpen(at);
        if (at < 0) break;
      }
      let isOpen = false;
      for (let term = ends[at]!; term >= 0; term = duplicate[term]!) {
        if (closed?.has(term) === true) continue;
        isOpen = true;
        const start = this.#startOf(term, text, end);
        if (start < 0 || (this.#wholeWords && !isWordEdge(text, start))) continue;
        const advice = onTerm(term, start, endsInWhite ? endOfWhite(text, end) : end);
        if (advice === SKIP_SHORTER) return CONTINUE;
        if (advice === END_TERMS || advice === STOP) return advice;
      }
      if (!isOpen) closed?.pass(at, outputBelow(table, at));
    }
    return CONTINUE;
  }

  /** Whether the text holds white space behind white space; found out once in a scan. */
  #holdsRuns(text: string): boolean {
    if (this.#hasRuns === undefined) {
      this.#hasRuns = false;
      for (let at = 1; at < text.length && !this.#hasRuns; at++)
        this.#hasRuns = isWhite(charCodeAt.call(text, at)) && isWhite(charCodeAt.call(text, at - 1));
    }
    return this.#hasRuns;
  }

  /** Where the occurrence begins of a term whose columns the text holds before `end`, or -1 when it is none. */
  #startOf(term: number, text: string, end: number): number {
    const length = this.#lengths[term]!;
    if (length > 0) return end - length;
    // Worth a look at the whole text only where terms were compared for longer than that takes.
    if (length < 0 && this.steps > text.length && !this.#holdsRuns(text)) return end + length;
    const start = this.#pool.startOf(term, text, end);
    this.steps += this.#pool.compared;
    return start;
  }
}

/** Where a scan goes on after a visit, in the terms of `#leave`. */
function after(advice: number, next: number): number {
  return advice === CONTINUE ? next : advice === STOP ? STOPPED : TERMS_ENDED - next;
}

function endOfWhite(text: string, from: number): number {
  let at = from;
  while (at < text.length && isWhite(charCodeAt.call(text, at))) at++;
  return at;
}

/** Whether an offset lies between the two halves of an astral character. */
function isWithinPair(text: string, at: number): boolean {
  return (
    at > 0 && (charCodeAt.call(text, at) & 0xfc00) === 0xdc00 && (charCodeAt.call(text, at - 1) & 0xfc00) === 0xd800
  );
}
