/**
 * Rows of pairs, a state and what stands before: so lone letters are seen by the same read as terms. They are limited, so
 * those that most texts come to are made first.
 */
import { OTHER } from '../alphabet.js';
import { LEAVE } from '../dense-rows.js';
import { MAX_ROWS, symbolOf } from '../keyword-automaton.js';
import { after, afterSign, Before, isBreakKind, isCommon, KINDS, mayBeThird } from './before.js';
import { FIRST_LETTER, FIRST_SIGN, LOOK, signOf, UNSEEN } from './gate-alphabet.js';
import type { GateAutomaton } from './gate-automaton.js';
import { Ends } from './gate-ends.js';
import type { GateStates } from './gate-states.js';
import { bars } from './spaced.js';

/** Rows begin at multiples of 2 ** `ROW_BITS` cells: a row of 64 columns has the room of two, and an even number. */
export const ROW_BITS = 5;

/** The rows, and what the gate asks of them. */
export interface GateRows {
  readonly bytes: number;
  /** `cells[(row << ROW_BITS) + column]`: the next row, with `ASK` or without, or `LEAVE`. Row 0 is that of the beginning of a text. */
  readonly cells: Uint16Array;
  /** The row of a state of the free automaton with what stands before; negative when there is none. */
  rowOf(state: number, before: number): number;
  /** By row: the state of the free automaton, and what stands before. */
  readonly states: Int32Array;
  readonly befores: Uint8Array;
  /** By row, of its state: one of `Ends`. */
  readonly ends: Uint8Array;
  /** By row: the class of the last letter of all that ends in its state, or `UNCLEAR`. */
  readonly lasts: Int32Array;
  /** The same by state of the free automaton, as far as its states have rows. */
  readonly lastsOfFree: Int32Array;
  /** Whether a column goes on with the run of white space in a row. */
  isSameWhite(row: number, column: number): boolean;
}

/**
 * Set in a cell when terms or lone letters may end before the character or with it; the rest is the row to go on in if they
 * do not. `LEAVE` has that bit, too.
 */
export const ASK = 1 << 15;

/** Builds the rows of all that a text may come to, as long as there is room. */
export function buildGateRows(gate: GateAutomaton, states: GateStates): GateRows {
  return new RowBuilder(gate, states).build();
}

/** Places of the two tasks for rows, letters first, then signs. */
const COMMON = 0;
const FREE = 2;
const RARE = 4;

class RowBuilder {
  readonly #gate: GateAutomaton;
  readonly #states: GateStates;
  readonly #width: number;
  /** Rows by pair, or -1; pairs by index. */
  readonly #rows: Int32Array;
  readonly #pairs: number[] = [];
  readonly #most: number;
  readonly #cells: Uint16Array;
  /** Indices of rows to be filled in, with one kind of columns after the other: the first are the most frequent. */
  readonly #tasks = [
    { of: [] as number[], fill: (index: number) => this.#fillLetters(index), next: 0 },
    { of: [] as number[], fill: (index: number) => this.#fillSigns(index), next: 0 },
    { of: [] as number[], fill: (index: number) => this.#fillLetters(index), next: 0 },
    { of: [] as number[], fill: (index: number) => this.#fillSigns(index), next: 0 },
    { of: [] as number[], fill: (index: number) => this.#fillLetters(index), next: 0 },
    { of: [] as number[], fill: (index: number) => this.#fillSigns(index), next: 0 },
    { of: [] as number[], fill: (index: number) => this.#fillHidden(index), next: 0 },
  ];

  constructor(gate: GateAutomaton, states: GateStates) {
    this.#gate = gate;
    this.#states = states;
    this.#width = gate.alphabet.width;
    this.#rows = new Int32Array(states.count * KINDS).fill(-1);
    this.#most = Math.min(Math.floor(MAX_ROWS / this.#step), this.#rows.length);
    this.#cells = new Uint16Array(this.#most * this.#width).fill(LEAVE);
  }

  build(): GateRows {
    const { begin, ends, free, freeCount, lasts } = this.#states;
    this.#rowOf(begin, Before.BREAK);
    for (let before = 0; before < KINDS; before++) this.#rowOf(0, before);
    for (;;) {
      const task = this.#tasks.find(({ of, next }) => next < of.length);
      if (task === undefined) break;
      task.fill(task.of[task.next++]!);
    }
    const pairs = this.#pairs;
    const stateOf = new Int32Array(pairs.length * this.#step);
    const befores = new Uint8Array(stateOf.length);
    for (const [index, pair] of pairs.entries()) {
      stateOf[index * this.#step] = Math.floor(pair / KINDS);
      befores[index * this.#step] = pair % KINDS;
    }
    const cells = this.#cells.slice(0, pairs.length * this.#width);
    // The builder is not kept, and so neither are the rows of other pairs.
    const rows = this.#rows.slice(0, Math.max(freeCount, begin + 1) * KINDS);
    const { table } = this.#gate.automaton;
    const { white } = this.#gate.alphabet;
    const freeOf = Int32Array.from(stateOf, (state) => free[state]!);
    return {
      bytes: cells.byteLength + rows.byteLength + 10 * stateOf.length + 4 * freeCount,
      cells,
      rowOf: (state, before) => (state < freeCount ? rows[pairOf(state, before, begin)]! : -1),
      states: freeOf,
      befores,
      ends: Uint8Array.from(stateOf, (state) => ends[state]!),
      lasts: Int32Array.from(stateOf, (state) => lasts[state]!),
      lastsOfFree: lasts.slice(0, freeCount),
      isSameWhite: (row, column) => goesOnInWhite(table, freeOf[row]!, column, white),
    };
  }

  /** From one row to the next. */
  get #step(): number {
    return this.#width >> ROW_BITS;
  }

  #rowOf(state: number, before: number): number {
    const { begin, free, freeCount } = this.#states;
    const pair = pairOf(state, before, begin);
    const index = this.#pairs.length;
    if (this.#rows[pair]! < 0 && index < this.#most) {
      this.#rows[pair] = index * this.#step;
      const isFree = pair < freeCount * KINDS;
      const isRare = !isCommon(before) && free[state] !== 0;
      const first = isRare ? RARE : isFree ? FREE : COMMON;
      this.#tasks[first]!.of.push(index);
      this.#tasks[first + 1]!.of.push(index);
      this.#tasks.at(-1)!.of.push(index);
      this.#pairs.push(pair);
    }
    return this.#rows[pair]!;
  }

  #fillLetters(index: number): void {
    const { breaks, white } = this.#gate.alphabet;
    const { table } = this.#gate.automaton;
    const states = this.#states;
    const { state, before } = this.#pairAt(index);
    const free = states.free[state]!;
    const mayEnd = states.ends[state] === Ends.WORD || mayBeThird(before);
    for (let column: number = OTHER; column < this.#width; column++) {
      if (column === LOOK) column = FIRST_LETTER;
      const isBreak = breaks[column] === 1;
      const isSameRun = goesOnInWhite(table, free, column, white);
      const through = isSameRun ? state : states.through(state, column);
      const next = isSameRun ? state : through < 0 ? -1 : states.behind(through, column);
      const target = next < 0 ? -1 : this.#rowOf(next, after(before, isBreak));
      if (target < 0) continue;
      const asks = (isBreak && mayEnd) || (!isSameRun && states.endsWith(through, column));
      this.#cells[index * this.#width + column] = asks ? target | ASK : target;
    }
  }

  #fillSigns(index: number): void {
    const { signs } = this.#gate.alphabet;
    const { ends, free } = this.#states;
    const { state, before } = this.#pairAt(index);
    for (let column = FIRST_SIGN; column < FIRST_LETTER; column++) {
      const next = this.#states.freelyBehind(free[state]!, signs[column - FIRST_SIGN]!);
      const target = next < 0 ? -1 : this.#rowOf(next, afterSign(before, bars.has(signOf(column))));
      if (target < 0) continue;
      const asks = ends[state] === Ends.WORD || mayBeThird(before) || ends[next] === Ends.AT_ONCE;
      this.#cells[index * this.#width + column] = asks ? target | ASK : target;
    }
  }

  /** Case folding sees hidden characters, and words end and begin there. */
  #fillHidden(index: number): void {
    const { begin, ends, free } = this.#states;
    const { state, before } = this.#pairAt(index);
    const target = ends[state] === Ends.WORD ? -1 : this.#rowOf(state === begin ? state : free[state]!, before);
    if (target >= 0) this.#cells[index * this.#width + UNSEEN] = target;
  }

  #pairAt(index: number): { readonly state: number; readonly before: number } {
    const pair = this.#pairs[index]!;
    return { state: Math.floor(pair / KINDS), before: pair % KINDS };
  }
}

/** A state and what stands before, as one number. Where words may begin, the free root tells as much as `begin` does. */
function pairOf(state: number, before: number, begin: number): number {
  return (state === 0 && isBreakKind(before) ? begin : state) * KINDS + before;
}

/** Whether a column goes on with a run of white space, which is one: what ends in its first character was asked about there. */
export function goesOnInWhite(table: Int32Array, state: number, column: number, white: number): boolean {
  return column === white && white !== OTHER && state !== 0 && symbolOf(table, state) === white;
}
