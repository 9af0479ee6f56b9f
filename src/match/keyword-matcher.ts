/**
 * Finds every occurrence of every term in one pass over a text, overlaps included. Knows nothing of rules.
 *
 * The automaton is stepped by UTF-16 units, many of which share a column, so what it finds is compared with the term. Near
 * its root it has dense rows, one read per unit; a scan leaves them only for what may be a match, or where a text goes along
 * with a term for long. Whole words are looked for in the same way: no term begins inside a word, and where one was found both
 * edges are asked for. Hashing words instead took a third longer with 403 terms, 2,610 and 100,000.
 */
import { buildAlphabet, COLUMN_BITS, COLUMNS, JointAlphabet, OTHER } from './alphabet.js';
import { type BranchFilter, buildBranchFilter } from './branch-filter.js';
import { buildDenseRows, LEAVE, LEAVING } from './dense-rows.js';
import { type Folding, isWhite } from './folding.js';
import {
  buildKeywordAutomaton,
  INSIDE,
  type KeywordAutomaton,
  outputBelow,
  outputOf,
  symbolOf,
} from './keyword-automaton.js';
import type { KeywordMatcher, OnTerm } from './keyword-scan.js';
import type { PatternDfa } from './pattern-dfa.js';
import { endPattern, stepPattern, stepPatternTo } from './step-pattern.js';
import { poolTerms, type TermPool } from './term-pool.js';
import { isWordEdge } from './word-edges.js';

export type { KeywordMatcher, OnTerm } from './keyword-scan.js';

/**
 * Called so, a read takes the same time for any string. There are many kinds (of one byte or two, put together, cut out), and
 * once more than four came by, V8 looks `text.charCodeAt` up for every character: three times as long for the whole scan.
 */
const { charCodeAt } = String.prototype;

export interface KeywordOptions {
  readonly folding: Folding;
  /** `word`: both ends of a match are word edges. */
  readonly words: 'word' | 'substring';
}

/** Constants of this file are part of the compiled code; imported ones are read at every use, which took a seventh of a scan. */
const BITS = COLUMN_BITS;
const LAST_COLUMN = COLUMNS - 1;
const LEFT = LEAVE;
const MAY_LEAVE = LEAVING;
/** What a walk answers when its visitor had enough. */
const STOPPED = -1;

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
  readonly #cells: Uint16Array;
  readonly #hot: number;
  readonly #branches: BranchFilter | undefined;
  readonly #wholeWords: boolean;
  /** The state after what no term contains. */
  readonly #afterOther: number;
  /** The state in which a walk ended; it has a row. */
  #resumed = 0;
  readonly #joint: JointAlphabet;

  constructor(terms: readonly string[], { folding, words }: KeywordOptions) {
    const pool = poolTerms(terms, folding);
    const alphabet = buildAlphabet(pool, folding, words);
    const automaton = buildKeywordAutomaton(alphabet.sequences, COLUMNS, alphabet.joins);
    const rows = buildDenseRows(automaton, alphabet);
    this.#branches = buildBranchFilter(automaton, alphabet, rows);
    this.#pool = pool;
    this.#automaton = automaton;
    this.#units = alphabet.units;
    this.#joint = new JointAlphabet(alphabet.units);
    this.#white = alphabet.white;
    this.#cells = rows.cells;
    this.#hot = rows.hot;
    this.#wholeWords = words === 'word';
    this.#afterOther = this.#wholeWords ? INSIDE : 0;
    this.states = automaton.states;
    this.classes = alphabet.width;
    this.bytes =
      automaton.bytes + pool.bytes + alphabet.units.byteLength + rows.cells.byteLength + (this.#branches?.bytes ?? 0);
  }

  scan(text: string, onTerm: OnTerm): void {
    const units = this.#units;
    const cells = this.#cells;
    const { length } = text;
    let state = 0;
    for (let at = 0; ; ) {
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(state << BITS) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= MAY_LEAVE) break;
        state = cell;
      }
      if (at >= length) return;
      if (cell !== LEFT && !this.#branches!.mayGoOn(state, text, at)) {
        state = cell & ~MAY_LEAVE;
        at++;
        continue;
      }
      at = this.#walk(text, at, state, onTerm);
      if (at < 0) return;
      state = this.#resumed;
    }
  }

  scanWith(text: string, onTerm: OnTerm, dfa: PatternDfa): boolean {
    const joint = this.#joint.with(dfa);
    const cells = this.#cells;
    const { length } = text;
    let pattern = dfa.begin();
    let state = 0;
    for (let at = 0; ; ) {
      const { rows } = dfa;
      // No call in here, and nothing but locals: both chains of reads go on side by side. One question for both, which
      // `LEAVE` answers with its highest bit, takes 5 % less than two; one table for both alphabets 10 %.
      for (; at < length; at++) {
        const both = joint[charCodeAt.call(text, at)]!;
        const to = rows[pattern + (both >> BITS)]!;
        const cell = cells[(state << BITS) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        state = cell;
      }
      if (at >= length) return endPattern(dfa, pattern);
      pattern = stepPattern(dfa, pattern, text, at);
      const cell = cells[(state << BITS) + (joint[charCodeAt.call(text, at)]! & LAST_COLUMN)]!;
      if (cell < MAY_LEAVE) {
        state = cell;
        at++;
      } else if (cell !== LEFT && !this.#branches!.mayGoOn(state, text, at)) {
        state = cell & ~MAY_LEAVE;
        at++;
      } else {
        const next = this.#walk(text, at, state, onTerm);
        if (next < 0) return true;
        pattern = stepPatternTo(dfa, pattern, text, at + 1, next);
        state = this.#resumed;
        at = next;
      }
      if (pattern < 0) {
        this.scan(text, onTerm);
        return false;
      }
    }
  }

  /** Takes the unit at `from` and those after it, until a state with a row. Answers the offset of the next unit. */
  #walk(text: string, from: number, before: number, onTerm: OnTerm): number {
    const { table } = this.#automaton;
    let at = from;
    let state = before;
    do {
      state = this.#step(state, this.#units[charCodeAt.call(text, at++)]!);
      if (outputOf(table, state) >= 0 && this.#visit(text, state, at, onTerm)) return STOPPED;
    } while (state >= this.#hot && at < text.length);
    this.#resumed = state < this.#hot ? state : 0;
    return at;
  }

  #step(state: number, column: number): number {
    if (column === OTHER) return this.#afterOther;
    return column === this.#white && symbolOf(this.#automaton.table, state) === column
      ? state
      : this.#automaton.step(state, column);
  }

  #visit(text: string, state: number, end: number, onTerm: OnTerm): boolean {
    if (isWithinPair(text, end) || (this.#wholeWords && !isWordEdge(text, end))) return false;
    const { ends, table, twin } = this.#automaton;
    const endsInWhite = symbolOf(table, state) === this.#white && this.#white !== OTHER;
    if (endsInWhite && end > 1 && isWhite(charCodeAt.call(text, end - 2))) return false;
    for (let at = outputOf(table, state); at >= 0; at = outputBelow(table, at)) {
      for (let term = ends[at]!; term >= 0; term = twin[term]!) {
        const start = this.#pool.startOf(term, text, end);
        if (start < 0 || (this.#wholeWords && !isWordEdge(text, start))) continue;
        if (onTerm(term, start, endsInWhite ? endOfWhite(text, end) : end) === true) return true;
      }
    }
    return false;
  }
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
