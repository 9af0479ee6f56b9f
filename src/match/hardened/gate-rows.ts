/**
 * Rows of pairs, a state and what stands before: so lone letters are seen by the same read as terms. They come into being when
 * texts come to them, as the patterns' automaton has it: few of them are ever met, and stay in the caches.
 */
import { OTHER } from '../alphabet.js';
import { LEAVE } from '../dense-rows.js';
import { MAX_ROWS, symbolOf } from '../keyword-automaton.js';
import { after, afterSign, afterStroke, areTwoStrokes, Before, isBreakKind, KINDS, mayBeThird } from './before.js';
import { FIRST_SIGN, isIntricate, signOf, UNSEEN } from './gate-alphabet.js';
import type { GateAutomaton } from './gate-automaton.js';
import { Ends } from './gate-ends.js';
import type { GateStates } from './gate-states.js';
import { EDGE, type GateTraits } from './gate-traits.js';
import { bars } from './spaced.js';

/** Rows begin at multiples of 2 ** `ROW_BITS` cells: a row of 64 columns has the room of two, and an even number. */
export const ROW_BITS = 5;

/**
 * Set in a cell when terms or lone letters may end before the character or with it; the rest is the row to go on in if they
 * do not. `LEAVE` has that bit, too.
 */
export const ASK = 1 << 15;

/** Cells of the first rows. */
const FIRST_CELLS = 1 << 12;

/** The rows so far, and what the gate asks of them. */
export class GateRows {
  /**
   * `cells[(row << ROW_BITS) + column]`: the next row, with `ASK` or without, or `LEAVE`: ask `find`. Row 0 is that of the beginning
   * of a text. Replaced when rows are added: read it again after each call.
   */
  cells = new Uint16Array(0);
  /** By row: the state of the free automaton, and what stands before. */
  states = new Int32Array(0);
  befores = new Uint8Array(0);
  /** By row, of its state: one of `Ends`. */
  ends = new Uint8Array(0);
  /** By row: the class of the last letter of all that ends in its state, or `UNCLEAR`. */
  lasts = new Int32Array(0);
  /** By row: its state. */
  #own = new Int32Array(0);
  /** Rows by pair. */
  readonly #rows = new Map<number, number>();
  /** By column: 1 when a run of letters that look like `i` and like `l` may stand behind one of it. */
  readonly #beforeMixed: Uint8Array;
  readonly #gate: GateAutomaton;
  readonly #states: GateStates;
  readonly #width: number;
  /** From one row to the next. */
  readonly #stride: number;
  readonly #most: number;
  /** How often there was no room, since rows were cleared. */
  #missed = 0;

  /** `most` rows at once. */
  constructor(gate: GateAutomaton, states: GateStates, { beforeMixed, wholeWords }: GateTraits, most = MAX_ROWS) {
    this.#gate = gate;
    const { columnOf, width } = gate.alphabet;
    this.#beforeMixed = new Uint8Array(width).fill(!wholeWords && beforeMixed.has(EDGE) ? 1 : 0);
    for (const letter of beforeMixed) if (letter !== EDGE) this.#beforeMixed[columnOf(letter)] = 1;
    this.#states = states;
    this.#width = gate.alphabet.width;
    this.#stride = this.#width >> ROW_BITS;
    this.#most = Math.min(most, Math.floor(MAX_ROWS / this.#stride));
    this.#grow(FIRST_CELLS);
    this.#clear();
  }

  /**
   * Forgets all rows but that of the beginning, if there was no room as often as there are rows: texts may not be what they
   * were when the rows came into being. Not to be called while a row is in use.
   */
  clearWhenStale(): void {
    if (this.#missed >= this.#most) this.#clear();
  }

  #clear(): void {
    this.#missed = 0;
    this.#rows.clear();
    this.rowOf(this.#states.begin, Before.BREAK);
  }

  /** The row of a state with what stands before; -1 when there is no room. */
  rowOf(state: number, before: number): number {
    const pair = pairOf(state, before, this.#states.begin);
    return this.#rows.get(pair) ?? this.#add(pair);
  }

  /** The cell of a row and a column, found now when it was not yet; `LEAVE` when there is no row to go on in. */
  find(row: number, column: number): number {
    const place = (row << ROW_BITS) + column;
    const known = this.cells[place]!;
    if (known !== LEAVE) return known;
    const found = this.#read(this.#own[row]!, this.befores[row]!, column);
    this.cells[place] = found;
    return found;
  }

  /** Whether a column goes on with the run of white space in a row. */
  isSameWhite(row: number, column: number): boolean {
    const { alphabet, automaton } = this.#gate;
    return goesOnInWhite(automaton.table, this.states[row]!, column, alphabet.white);
  }

  #add(pair: number): number {
    const index = this.#rows.size;
    if (index === this.#most) {
      this.#missed++;
      return -1;
    }
    const row = index * this.#stride;
    if ((row + this.#stride) << ROW_BITS > this.cells.length) this.#grow(2 * this.cells.length);
    const states = this.#states;
    const state = Math.floor(pair / KINDS);
    this.cells.fill(LEAVE, row << ROW_BITS, (row + this.#stride) << ROW_BITS);
    this.#own[row] = state;
    this.states[row] = states.free(state);
    this.befores[row] = pair % KINDS;
    this.ends[row] = states.ends(state);
    this.lasts[row] = states.lastOf(state);
    this.#rows.set(pair, row);
    return row;
  }

  #grow(size: number): void {
    const count = size >> ROW_BITS;
    this.cells = copied(this.cells, new Uint16Array(size));
    this.states = copied(this.states, new Int32Array(count));
    this.befores = copied(this.befores, new Uint8Array(count));
    this.ends = copied(this.ends, new Uint8Array(count));
    this.lasts = copied(this.lasts, new Int32Array(count));
    this.#own = copied(this.#own, new Int32Array(count));
  }

  #read(state: number, before: number, column: number): number {
    if (column === UNSEEN) return this.#behindHidden(state, before);
    return isIntricate(column) ? this.#behindSign(state, before, column) : this.#behindLetter(state, before, column);
  }

  #behindLetter(state: number, before: number, column: number): number {
    const { alphabet, automaton } = this.#gate;
    const states = this.#states;
    const symbol = alphabet.symbols[column]!;
    const isBreak = alphabet.breaks[symbol] === 1;
    const isSameRun = goesOnInWhite(automaton.table, states.free(state), symbol, alphabet.white);
    const through = isSameRun ? state : states.through(state, symbol);
    const next = isSameRun ? state : states.behind(through, symbol);
    const mayEnd = isBreak && (states.ends(state) === Ends.WORD || mayBeThird(before));
    const asks = mayEnd || (!isSameRun && states.endsWith(through, symbol));
    const then = after(before, isBreak);
    const last = symbolOf(automaton.table, states.free(state));
    const isTold = symbol !== column && then === Before.MORE && (last === symbol || this.#beforeMixed[last] === 0);
    if (!isTold) return this.#cellTo(next, then, asks);
    const stroke = afterStroke(before, last === symbol, column === alphabet.strokes[0]);
    const areMixed = areTwoStrokes(before) || areTwoStrokes(stroke);
    return this.#cellTo(next, stroke, asks && !(areMixed && states.ends(through) === Ends.RUN));
  }

  #behindSign(state: number, before: number, column: number): number {
    const states = this.#states;
    const next = states.through(states.free(state), this.#gate.alphabet.signs[column - FIRST_SIGN]!);
    const asks = states.ends(state) === Ends.WORD || mayBeThird(before) || states.ends(next) >= Ends.AT_ONCE;
    return this.#cellTo(next, afterSign(before, bars.has(signOf(column))), asks);
  }

  /** Case folding sees hidden characters, and words end and begin there. */
  #behindHidden(state: number, before: number): number {
    const { begin } = this.#states;
    if (this.#states.ends(state) === Ends.WORD) return LEAVE;
    return this.#cellTo(state === begin ? state : this.#states.free(state), before, false);
  }

  #cellTo(state: number, before: number, asks: boolean): number {
    const row = this.rowOf(state, before);
    return row < 0 ? LEAVE : asks ? row | ASK : row;
  }
}

function copied<T extends Uint8Array | Uint16Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A state and what stands before, as one number. Where words may begin, the free root tells as much as `begin` does. */
function pairOf(state: number, before: number, begin: number): number {
  return (state === 0 && isBreakKind(before) ? begin : state) * KINDS + before;
}

/** Whether a column goes on with a run of white space, which is one: what ends in its first character was asked about there. */
export function goesOnInWhite(table: Int32Array, state: number, column: number, white: number): boolean {
  return column === white && white !== OTHER && state !== 0 && symbolOf(table, state) === white;
}
