/**
 * Says of a text, nearly as fast as the plain matcher finds terms, that no hardened term can be in it: true of most. It steps
 * an automaton by classes of letters, with rows as the plain matcher has them, and gives way to the thorough scan at what may
 * be a term, at a letter three times in a row, which may be drawn out, and at letters that stand alone.
 */
import { COLUMN_BITS, SEPARATOR } from '../alphabet.js';
import { LEAVE } from '../dense-rows.js';
import type { PatternDfa } from '../pattern-dfa.js';
import { endPattern, stepPatternTo } from '../step-pattern.js';
import { BREAK_BIT, type GateAlphabet, LOOK } from './gate-alphabet.js';
import { buildGateAutomaton } from './gate-automaton.js';
import { ALONE, buildGateRows, type GateRows } from './gate-rows.js';
import { GateWalk } from './gate-walk.js';
import type { HardenedTerms } from './hardened-terms.js';
import { isPairBefore } from './letters.js';

/** Not `text.charCodeAt`, for reasons that `keyword-matcher.ts` gives. */
const { charCodeAt, codePointAt } = String.prototype;

/** What the gate says of a text: nothing in it and patterns read, patterns stalled, or to be looked at. */
export type GateAnswer = 'clear' | 'stalled' | 'open';

/** Constants of this file are part of the compiled code; imported ones are read at every use. */
const BITS = COLUMN_BITS;
const LAST_COLUMN = (1 << COLUMN_BITS) - 1;
const LEFT = LEAVE;
const LONE = ALONE;
const AT_END = SEPARATOR;
/** What `#leave` answers when the gate opens. */
const OPENS = -1;

/** The gate for a set of terms. A class, so that many engines share its compiled code. */
export class HardenedGate {
  readonly bytes: number;
  readonly #alphabet: GateAlphabet;
  readonly #rows: GateRows;
  readonly #walk: GateWalk;
  /** Some term holds white space for case folding where readings see something hidden. */
  readonly #alwaysOpen: boolean;
  /** The row after a walk; there may be none at the end of a text. */
  #row = 0;

  constructor(written: readonly string[], terms: HardenedTerms, words: 'word' | 'substring') {
    const gate = buildGateAutomaton(written, terms);
    const walk = new GateWalk(gate, terms, words);
    this.#alphabet = gate.alphabet;
    this.#walk = walk;
    this.#rows = buildGateRows(gate.automaton, gate.alphabet, (state) => walk.endsWord(state));
    this.#alwaysOpen = written.some((term) => term.includes('\ufeff'));
    this.bytes = gate.automaton.bytes + this.#rows.bytes + gate.alphabet.units.byteLength;
  }

  /** Whether a text may hold a term. */
  opensFor(text: string): boolean {
    if (this.#alwaysOpen) return true;
    const { cells } = this.#rows;
    const { units } = this.#alphabet;
    const { length } = text;
    let row = 0;
    for (let at = 0; ; ) {
      let cell = 0;
      for (; at < length; at++) {
        cell = cells[(row << BITS) + units[charCodeAt.call(text, at)]!]!;
        if (cell >= LONE) break;
        row = cell;
      }
      if (at >= length) return this.#opensAtEnd(text, row);
      at = this.#leave(text, at, row, cell);
      if (at < 0) return true;
      row = this.#row;
    }
  }

  /** The same, stepping the patterns' automaton in the same loop. */
  opensWith(text: string, dfa: PatternDfa): GateAnswer {
    if (this.#alwaysOpen) return 'open';
    const joint = this.#alphabet.joint.with(dfa);
    const { cells } = this.#rows;
    const { length } = text;
    let pattern = dfa.begin();
    let row = 0;
    for (let at = 0; ; ) {
      const { rows } = dfa;
      let cell = 0;
      for (; at < length; at++) {
        const both = joint[charCodeAt.call(text, at)]!;
        const to = rows[pattern + (both >> BITS)]!;
        cell = cells[(row << BITS) + (both & LAST_COLUMN)]!;
        if ((to | (cell << 16)) < 0) break;
        pattern = to;
        row = cell;
      }
      if (at >= length) {
        if (this.#opensAtEnd(text, row)) return 'open';
        return endPattern(dfa, pattern) ? 'clear' : 'stalled';
      }
      const from = at;
      if (cell < LONE) {
        row = cell;
        at++;
      } else {
        at = this.#leave(text, at, row, cell);
        if (at < 0) return 'open';
        row = this.#row;
      }
      pattern = stepPatternTo(dfa, pattern, text, from, at);
      // Where the patterns give up, terms are still to be looked for.
      if (pattern < 0) return this.opensFor(text) ? 'open' : 'stalled';
    }
  }

  /** Whether the gate opens when a text ends in a row; a separator would tell as well what ends. */
  #opensAtEnd(text: string, row: number): boolean {
    if (row >= 0) {
      if (this.#rows.cells[(row << BITS) + AT_END]! < LONE) return false;
      this.#resume(row);
    }
    return this.#walk.endsAt(text, text.length) || this.#walk.endsAlone(text);
  }

  /** Takes the character at `from` and those after it, until there is a row. Answers the next offset, or -1 when the gate opens. */
  #leave(text: string, from: number, row: number, cell: number): number {
    const walk = this.#walk;
    if (cell !== LEFT) {
      this.#row = cell & ~LONE;
      return walk.isThird(text, from) ? OPENS : from + 1;
    }
    if (this.#follows(text, from, row)) return walk.next;
    this.#resume(row);
    // Behind something hidden it was asked before that; every time again would be quadratic.
    if (!walk.isHiddenBefore(text, from) && walk.endsAt(text, from)) return OPENS;
    for (let at = from; at < text.length; at = walk.next) {
      if (walk.takes(text, at)) return OPENS;
      this.#row = this.#rows.rowOf(walk.state, walk.before);
      if (this.#row >= 0) return walk.next;
    }
    return text.length;
  }

  /** Whether a character that has to be looked at goes on by the rows all the same: one met first, and most emoji. */
  #follows(text: string, at: number, row: number): boolean {
    const unit = charCodeAt.call(text, at);
    if (this.#alphabet.units[unit] !== LOOK) return false;
    const isPair = isPairBefore(text, at + 2);
    const look = isPair ? this.#alphabet.lookAt(codePointAt.call(text, at)!) : this.#alphabet.learn(unit);
    const column = look === (SEPARATOR | BREAK_BIT) ? SEPARATOR : look;
    if (column < 0 || column >= LOOK) return false;
    const cell = this.#rows.cells[(row << BITS) + column]!;
    if (cell >= LONE) return false;
    this.#row = cell;
    this.#walk.next = at + (isPair ? 2 : 1);
    return true;
  }

  #resume(row: number): void {
    this.#walk.state = this.#rows.states[row]!;
    this.#walk.before = this.#rows.befores[row]!;
  }
}
