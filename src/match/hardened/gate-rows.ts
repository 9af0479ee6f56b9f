/**
 * Rows of pairs, a state and what stands before: so lone letters are seen by the same read as terms. They come into being when
 * texts come to them, as the patterns' automaton has it: few of them are ever met, and stay in the caches.
 */
import { OTHER } from '../alphabet.js';
import { symbolOf } from '../keyword-automaton.js';
import { FLAG, RowStore, UNKNOWN } from '../row-store.js';
import { after, afterSign, afterStroke, areTwoStrokes, Before, isBreakKind, KINDS, mayBeThird } from './before.js';
import { FIRST_SIGN, isIntricate, signOf, UNSEEN } from './gate-alphabet.js';
import type { GateAutomaton } from './gate-automaton.js';
import { type Endings, Ends } from './gate-ends.js';
import type { GateStates } from './gate-states.js';
import { EDGE, type GateTraits } from './gate-traits.js';
import { bars } from './spaced.js';

/** Rows begin at multiples of 2 ** `ROW_BITS` cells: a row of 64 columns has the room of two, and an even number. */
export const ROW_BITS = 5;

/** Set in a cell when terms or lone letters may end before the character or with it; the rest is the row to go on in if they do not. */
export const ASK = FLAG;

/** Two to the power of it: so many cells are remembered with what ends in them. */
const REMEMBERED_BITS = 10;

/** The rows so far, and what the gate asks of them. */
export class GateRows {
  /** By column that separates letters: 1 when something ends in a letter of it. */
  readonly isLast: Uint8Array;
  readonly #rows: RowStore;
  /** By column: 1 when a run of letters that look like `i` and like `l` may stand behind one of it. */
  readonly #beforeMixed: Uint8Array;
  readonly #gate: GateAutomaton;
  readonly #states: GateStates;
  /** What was asked for so far; a row notes the place of its own, plus one. */
  readonly #endings: Endings[] = [];
  /** Cells asked about by `endingsWith`, and the answers. */
  readonly #places = new Int32Array(1 << REMEMBERED_BITS);
  readonly #behind = new Array<Endings | undefined>(1 << REMEMBERED_BITS);

  /** `most` rows at once. */
  constructor(gate: GateAutomaton, states: GateStates, { beforeMixed, wholeWords }: GateTraits, most?: number) {
    const { columnOf, width } = gate.alphabet;
    this.#gate = gate;
    this.#states = states;
    this.#beforeMixed = new Uint8Array(width).fill(!wholeWords && beforeMixed.has(EDGE) ? 1 : 0);
    for (const letter of beforeMixed) if (letter !== EDGE) this.#beforeMixed[columnOf(letter)] = 1;
    this.#rows = new RowStore(ROW_BITS, width, most);
    this.isLast = lastColumns(gate);
    this.#begin();
  }

  /**
   * `cells[(row << ROW_BITS) + column]`: the next row, with `ASK` or without, or `UNKNOWN`: ask `find`. Row 0 is that of the
   * beginning of a text. Replaced when rows are added: read it again after each call.
   */
  get cells(): Uint16Array {
    return this.#rows.cells;
  }

  /** As that of `RowStore`. */
  clearWhenStale(): void {
    if (this.#rows.clearWhenStale()) this.#begin();
  }

  /** The row of a state with what stands before; -1 when there is no room. */
  rowOf(state: number, before: number): number {
    return this.#rows.rowOf(pairOf(state, before, this.#states.begin));
  }

  /** What stands before a row. */
  beforeOf(row: number): number {
    return this.#rows.keys[row]! % KINDS;
  }

  /** The state of the free automaton in a row. */
  freeOf(row: number): number {
    return this.#states.free(this.#stateOf(row));
  }

  /** What is known of all that ends in a row. */
  endingsOf(row: number): Endings {
    const known = this.#rows.notes[row]!;
    if (known > 0) return this.#endings[known - 1]!;
    const endings = this.#states.endingsOf(this.#stateOf(row));
    this.#rows.notes[row] = this.#endings.push(endings);
    return endings;
  }

  /** The cell of a row and a column, found now when it was not yet; `UNKNOWN` when there is no row to go on in. */
  find(row: number, column: number): number {
    const place = (row << ROW_BITS) + column;
    const known = this.cells[place]!;
    if (known !== UNKNOWN) return known;
    const found = this.#read(this.#stateOf(row), this.beforeOf(row), column);
    this.cells[place] = found;
    return found;
  }

  /** What is known of all that ends with a column's character behind a row; undefined when nothing does. */
  endingsWith(row: number, column: number): Endings | undefined {
    const place = (row << ROW_BITS) + column;
    const slot = Math.imul(place, 0x9e3779b1) >>> (32 - REMEMBERED_BITS);
    if (this.#places[slot] !== place) {
      this.#behind[slot] = this.#readEndings(row, column);
      this.#places[slot] = place;
    }
    return this.#behind[slot];
  }

  #readEndings(row: number, column: number): Endings | undefined {
    const { alphabet, automaton } = this.#gate;
    const free = this.freeOf(row);
    // White space is one run: what ends in its first character was asked about there.
    if (goesOnInWhite(automaton.table, free, column, alphabet.white)) return undefined;
    const through = automaton.step(free, alphabet.symbols[column]!);
    return this.#states.ends(through) === Ends.NOTHING ? undefined : this.#states.endingsOf(through);
  }

  #stateOf(row: number): number {
    return Math.floor(this.#rows.keys[row]! / KINDS);
  }

  #begin(): void {
    this.#places.fill(-1);
    this.#endings.length = 0;
    this.rowOf(this.#states.begin, Before.BREAK);
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
    const asksBefore = isBreak && (states.ends(state) === Ends.WORD || mayBeThird(before));
    const asks = asksBefore || (!isSameRun && states.endsWith(through, symbol));
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
    if (this.#states.ends(state) === Ends.WORD) return UNKNOWN;
    return this.#cellTo(state === begin ? state : this.#states.free(state), before, false);
  }

  #cellTo(state: number, before: number, asks: boolean): number {
    const row = this.rowOf(state, before);
    return row < 0 ? UNKNOWN : asks ? row | ASK : row;
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

function lastColumns({ alphabet, automaton }: GateAutomaton): Uint8Array {
  const isLast = new Uint8Array(alphabet.width);
  const { ends, states, table } = automaton;
  for (let state = 0; state < states; state++) if (ends[state]! >= 0) isLast[symbolOf(table, state)] = 1;
  return isLast;
}
