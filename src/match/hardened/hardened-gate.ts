/**
 * Says of a text, nearly as fast as the plain matcher finds terms, that no hardened term can be in it: true of most. It steps
 * an automaton by classes of letters, with rows as the plain matcher has them, and gives way to the thorough scan at what may
 * be a term, at a letter three times in a row, which may be drawn out, and at letters that stand alone.
 */
import { COLUMN_BITS, SEPARATOR } from '../alphabet.js';
import type { PatternDfa } from '../patterns/lazy-dfa.js';
import { endPattern, stepPatternTo } from '../patterns/lazy-dfa.js';
import { UNKNOWN } from '../row-store.js';
import { after, mayBeThird } from './before.js';
import { areLetters, columnIn, countIn, type GateAlphabet, isIntricate, LOOK } from './gate-alphabet.js';
import { buildGateAutomaton } from './gate-automaton.js';
import { type Endings, Ends, mayEnd } from './gate-ends.js';
import { ASK, GateRows, ROW_BITS } from './gate-rows.js';
import { GateStates } from './gate-states.js';
import { traitsOf } from './gate-traits.js';
import { GateWalk } from './gate-walk.js';
import type { HardenedTerms } from './hardened-terms.js';
import { isPairBefore } from './letters.js';
import { standsAlone } from './word-runs.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** What the gate says of a text: nothing in it and patterns read, patterns stalled, or to be looked at. */
export type GateAnswer = 'clear' | 'stalled' | 'open';

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const BITS = COLUMN_BITS;
const LAST_COLUMN = (1 << COLUMN_BITS) - 1;
const ROW = ROW_BITS;
const LEFT = UNKNOWN;
const ASKED = ASK;
const AT_END = SEPARATOR;
const { AT_ONCE, RUN: DRAWN_OUT, WORD: AT_EDGE } = Ends;
/** What `#leave` answers when the gate opens. */
const OPENS = -1;

/** The gate for a set of terms. A class, so that many engines share its compiled code. */
export class HardenedGate {
  /** Of what does not grow. Rows come to 2 MiB at most, and what ends in those that were asked about. */
  readonly bytes: number;
  readonly #alphabet: GateAlphabet;
  readonly #rows: GateRows;
  readonly #walk: GateWalk;
  /** Some term holds white space for case folding where readings see something hidden. */
  readonly #alwaysOpen: boolean;
  /** The row after a walk; there may be none at the end of a text. */
  #row = 0;

  /** `most` rows are kept at once. */
  constructor(written: readonly string[], terms: HardenedTerms, words: 'word' | 'substring', most?: number) {
    const gate = buildGateAutomaton(written, terms, words);
    const { alphabet, automaton } = gate;
    this.#alphabet = alphabet;
    const traits = traitsOf(terms, words === 'word');
    this.#walk = new GateWalk(alphabet, automaton, terms, traits);
    const states = new GateStates(gate, terms);
    this.#rows = new GateRows(gate, states, traits, most);
    this.#alwaysOpen = written.some((term) => term.includes('\ufeff'));
    this.bytes = states.bytes + alphabet.units.byteLength;
  }

  /** Whether a text may hold a term. */
  opensFor(text: string): boolean {
    if (this.#alwaysOpen) return true;
    const { units } = this.#alphabet;
    const { length } = text;
    let row = 0;
    for (let at = 0; ; ) {
      const { cells } = this.#rows;
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(row << ROW) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= ASKED) break;
        row = cell;
      }
      if (at >= length) return !endsClear(cells, row) && this.#opensAtEnd(text, row);
      at = this.#leave(text, at, row, cell);
      if (at < 0) return true;
      row = this.#row;
    }
  }

  /** The same, stepping the patterns' automaton in the same loop. */
  opensWith(text: string, dfa: PatternDfa): GateAnswer {
    if (this.#alwaysOpen) return 'open';
    const joint = this.#alphabet.joint.with(dfa);
    const { length } = text;
    let pattern = dfa.begin();
    let row = 0;
    for (let at = 0; ; ) {
      const { rows } = dfa;
      const { cells } = this.#rows;
      let cell = 0;
      let to = 0;
      for (; at < length; at++) {
        const both = joint[charCodeAt.call(text, at)]!;
        to = rows[pattern + (both >> BITS)]!;
        cell = cells[(row << ROW) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        row = cell;
      }
      if (at >= length) {
        if (!endsClear(cells, row) && this.#opensAtEnd(text, row)) return 'open';
        return endPattern(dfa, pattern) ? 'clear' : 'stalled';
      }
      const from = at;
      if (cell < ASKED) {
        row = cell;
        at++;
      } else {
        at = this.#leave(text, at, row, cell);
        if (at < 0) return 'open';
        row = this.#row;
      }
      pattern = to >= 0 && at === from + 1 ? to : stepPatternTo(dfa, pattern, text, from, at);
      // Where the patterns give up, terms are still to be looked for.
      if (pattern < 0) return this.opensFor(text) ? 'open' : 'stalled';
    }
  }

  /** Whether the gate opens when a text ends in a row; a separator would ask for what may end. */
  #opensAtEnd(text: string, row: number): boolean {
    const walk = this.#walk;
    const end = text.length;
    if (row >= 0) return this.#rows.find(row, AT_END) >= ASKED && this.#endsBefore(text, end, row);
    return walk.endsIn(walk.state, text, end) || (mayBeThird(walk.before) && walk.isThird(text, end));
  }

  /** Takes the character at an offset, and others until there is a row. Answers the next offset, or -1 when the gate opens. */
  #leave(text: string, at: number, row: number, cell: number): number {
    const column = this.#alphabet.units[charCodeAt.call(text, at)]!;
    const found = cell === LEFT && column !== LOOK ? this.#rows.find(row, column) : cell;
    if (found !== LEFT) return this.#goesOn(text, at, at + 1, column, row, found);
    return (column === LOOK && this.#looks(text, at, row)) || this.#walkFrom(text, at, row);
  }

  /** Goes on in the row that a cell names, when nothing ends before the character at `at` or with it. */
  #goesOn(text: string, at: number, next: number, column: number, row: number, cell: number): number {
    const to = cell & ~ASKED;
    this.#row = to;
    if (cell < ASKED) return next;
    const isBreak = this.#alphabet.breaks[column] === 1;
    if ((isBreak || isIntricate(column)) && this.#endsBefore(text, at, row)) return OPENS;
    const rows = this.#rows;
    if (!isBreak) {
      const endings = rows.endingsOf(to);
      if (endings.kind === DRAWN_OUT) return this.#walk.isRun(text, next) ? OPENS : next;
      return endings.kind === AT_ONCE && this.#endsIn(to, endings, text, next) ? OPENS : next;
    }
    const endings = rows.isLast[column] === 1 ? rows.endingsWith(row, column) : undefined;
    if (endings === undefined || !mayEnd(endings, text, next)) return next;
    return this.#walk.endsIn(this.#walk.behind(rows.freeOf(row), column), text, next) ? OPENS : next;
  }

  /** Takes a character that has to be looked at by the rows all the same: one met first, most emoji, `ß`. Answers 0 when they do not tell. */
  #looks(text: string, at: number, row: number): number {
    const code = this.#codeAt(text, at);
    if (code < 0) return OPENS;
    const columns = this.#alphabet.columnsOf(code);
    if (columns < 0) return 0;
    const next = at + (code > 0xffff ? 2 : 1);
    if (countIn(columns) === 1) {
      const column = columnIn(columns, 0);
      const cell = this.#rows.find(row, column);
      return cell === LEFT ? 0 : this.#goesOn(text, at, next, column, row, cell);
    }
    const isLetter = areLetters(columns) && this.#alphabet.breaks[columnIn(columns, 0)] === 0;
    if (isLetter && standsAlone(text, at, next)) return OPENS;
    const to = this.#rowBehind(row, columns);
    if (to < 0) return 0;
    this.#row = to;
    return !areLetters(columns) && this.#endsBefore(text, at, row) ? OPENS : next;
  }

  /** The character to be looked at at an offset: half a pair when it is known by itself. -1 when it is the rest of one that was. */
  #codeAt(text: string, at: number): number {
    const unit = charCodeAt.call(text, at);
    if ((unit & 0xf800) !== 0xd800 || this.#alphabet.learn(unit) !== LOOK) return unit;
    // Behind a first half that was taken for that of a picture.
    return isPairBefore(text, at + 1) ? -1 : codePointAt.call(text, at)!;
  }

  /** The row behind a character of several letters, which is none of those that stand alone; -1 where there is none. */
  #rowBehind(row: number, columns: number): number {
    const rows = this.#rows;
    let to = areLetters(columns) ? row : rows.rowOf(rows.freeOf(row), rows.beforeOf(row));
    for (let index = 0; to >= 0 && index < countIn(columns); index++) {
      const cell = rows.find(to, columnIn(columns, index));
      if (cell >= ASKED) return -1;
      to = cell;
    }
    if (to < 0 || areLetters(columns)) return to;
    return rows.rowOf(rows.freeOf(to), after(rows.beforeOf(row), true));
  }

  /** Whether a term or three letters that stand alone may end in a row before what is no letter. */
  #endsBefore(text: string, at: number, row: number): boolean {
    const endings = this.#rows.endingsOf(row);
    if (endings.kind === AT_EDGE && this.#endsIn(row, endings, text, at)) return true;
    return mayBeThird(this.#rows.beforeOf(row)) && this.#walk.isThird(text, at);
  }

  /** Whether a term that ends in a row may end at an offset. */
  #endsIn(row: number, endings: Endings, text: string, end: number): boolean {
    return mayEnd(endings, text, end) && this.#walk.endsIn(this.#rows.freeOf(row), text, end);
  }

  /** The slow way, until there is a row. */
  #walkFrom(text: string, from: number, row: number): number {
    const walk = this.#walk;
    walk.state = this.#rows.freeOf(row);
    walk.before = this.#rows.beforeOf(row);
    // Behind something hidden it was asked before that; every time again would be quadratic.
    if (!walk.isHiddenBefore(text, from) && walk.endsIn(walk.state, text, from)) return OPENS;
    for (let at = from; at < text.length; at = walk.next) {
      if (walk.takes(text, at)) return OPENS;
      this.#row = this.#rows.rowOf(walk.state, walk.before);
      if (this.#row >= 0) return walk.next;
      this.#rows.clearWhenStale();
    }
    return text.length;
  }
}

/** Whether nothing is to be asked at the end of a text, as a cell tells for most. */
function endsClear(cells: Uint16Array, row: number): boolean {
  return row >= 0 && cells[(row << ROW) + AT_END]! < ASKED;
}
