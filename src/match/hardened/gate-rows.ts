import { COLUMN_BITS, OTHER } from '../alphabet.js';
import { buildDenseRows, LEAVE } from '../dense-rows.js';
import { type KeywordAutomaton, MAX_ROWS, outputOf, symbolOf } from '../keyword-automaton.js';
import { FIRST_LETTER, FIRST_SIGN, type GateAlphabet, LOOK, signOf, UNSEEN } from './gate-alphabet.js';
import { bars } from './spaced.js';

/**
 * What stands before a character, as far as lone letters ask: a word (`MORE`); the n-th letter of those that stand alone one
 * after the other, or a sign in its place; what separates after n of them; or a bar, which may be all of these.
 */
export const Before = {
  ...{ BREAK: 0, BREAK_1: 1, BREAK_2: 2 },
  ...{ ONE: 3, TWO: 4, THREE: 5 },
  ...{ SIGN_1: 6, SIGN_2: 7, SIGN_3: 8 },
  ...{ MORE: 9, BAR: 10 },
} as const;
const KINDS = 11;

const isBreakKind = (before: number) => before <= Before.BREAK_2;
const isSignKind = (before: number) => before >= Before.SIGN_1 && before <= Before.SIGN_3;

/** What stands before the character after one. */
export function after(before: number, isBreak: boolean): number {
  if (before === Before.BAR) return isBreak ? Before.BREAK_2 : Before.THREE;
  if (before === Before.MORE) return isBreak ? Before.BREAK : Before.MORE;
  if (isBreakKind(before)) return isBreak ? before : before + Before.ONE;
  const count = isSignKind(before) ? before - Before.SIGN_1 + 1 : before - Before.ONE + 1;
  if (isBreak) return Math.min(count, Before.BREAK_2);
  // Before a letter a sign does not stand alone, and separates nothing.
  return isSignKind(before) ? Before.ONE : Before.MORE;
}

/** What stands before the character after a sign, which may be a letter where none touches it. */
export function afterSign(before: number, isBar: boolean): number {
  if (isBar || before === Before.BAR) return Before.BAR;
  if (isBreakKind(before)) return before + Before.SIGN_1;
  return isSignKind(before) ? Before.SIGN_1 : Before.BREAK;
}

/** Whether a third letter that stands alone may end behind what stands before. */
export function mayBeThird(before: number): boolean {
  return before === Before.THREE || before === Before.SIGN_3 || before === Before.BAR;
}

/** What ends in a state: nothing, terms that only end where no letter follows, or others. */
export const Ends = { NOTHING: 0, WORD: 1, AT_ONCE: 2 } as const;

/** Rows begin at multiples of 2 ** `ROW_BITS` cells: a row of 64 columns has the room of two, and an even number. */
export const ROW_BITS = 5;

/**
 * Rows of pairs: a state of the automaton and what stands before. So lone letters are seen by the same read as terms.
 */
export interface GateRows {
  readonly bytes: number;
  /** `cells[(row << ROW_BITS) + column]`: the next row, with `ASK` or without, or `LEAVE`. Row 0 is that of the beginning of a text. */
  readonly cells: Uint16Array;
  /** The row of a state with what stands before; negative when there is none. */
  rowOf(state: number, before: number): number;
  /** By row. */
  readonly states: Int32Array;
  readonly befores: Uint8Array;
  /** By row, of its state: one of `Ends`. */
  readonly ends: Uint8Array;
  /** By row: the class of the last letter of all that ends in its state, or `UNCLEAR`. */
  readonly lasts: Int32Array;
  /** Whether a column goes on with the run of white space in a row. */
  isSameWhite(row: number, column: number): boolean;
}

/**
 * Set in a cell when terms or lone letters may end before the character or with it; the rest is the row to go on in if they
 * do not. `LEAVE` has that bit, too.
 */
export const ASK = 1 << 15;

/** What rows have to know of what ends in a state. */
export interface StateEnds {
  /** Whether it does so only where no letter follows: that is asked at what is no letter. */
  endsWord(state: number): boolean;
  /** The class of its last letter, or `UNCLEAR`. */
  lastClassOf(state: number): number;
}

/** Builds the rows: first those that texts without signs for letters come to. */
export function buildGateRows(automaton: KeywordAutomaton, alphabet: GateAlphabet, stateEnds: StateEnds): GateRows {
  const { table } = automaton;
  const { breaks, signs, white, width } = alphabet;
  const dense = buildDenseRows(automaton, { white });
  const endsOf = new Uint8Array(dense.hot);
  const lastOf = new Int32Array(dense.hot);
  for (let state = 0; state < dense.hot; state++) {
    if (outputOf(table, state) < 0) continue;
    endsOf[state] = stateEnds.endsWord(state) ? Ends.WORD : Ends.AT_ONCE;
    lastOf[state] = stateEnds.lastClassOf(state);
  }
  const step = width >> ROW_BITS;
  const most = Math.min(Math.floor(MAX_ROWS / step), dense.hot * KINDS);
  const rows = new Int32Array(dense.hot * KINDS).fill(-1);
  const pairs: number[] = [];
  const rowOf = (pair: number): number => {
    if (rows[pair]! < 0 && pairs.length < most) rows[pair] = (pairs.push(pair) - 1) * step;
    return rows[pair]!;
  };
  rowOf(0);
  const cells = new Uint16Array(most * width).fill(LEAVE);
  const fill = (index: number, from: number, to: number): void => {
    const state = Math.floor(pairs[index]! / KINDS);
    const before = pairs[index]! % KINDS;
    for (let column = from; column < to; column++) {
      const isSign = from === FIRST_SIGN;
      const letter = isSign ? signs[column - FIRST_SIGN]! : column;
      const isBreak = breaks[letter] === 1;
      const isSameRun = goesOnInWhite(table, state, letter, white);
      const known = dense.cells[(state << COLUMN_BITS) + letter]!;
      const next = isSameRun ? state : known === LEAVE ? automaton.step(state, letter) : known;
      if (next >= dense.hot) continue;
      const behind = isSign ? afterSign(before, bars.has(signOf(column))) : after(before, isBreak);
      const target = rowOf(next * KINDS + behind);
      if (target < 0) continue;
      const asksBefore = (isBreak || isSign) && (endsOf[state] === Ends.WORD || mayBeThird(before));
      const asksBehind = !isSameRun && endsOf[next] === Ends.AT_ONCE;
      cells[index * width + column] = asksBefore || asksBehind ? target | ASK : target;
    }
  };
  for (let index = 0, signed = 0; signed < pairs.length; ) {
    if (index === pairs.length) {
      fill(signed++, FIRST_SIGN, FIRST_LETTER);
      continue;
    }
    fill(index, OTHER, LOOK);
    fill(index, FIRST_LETTER, width);
    // Case folding sees hidden characters, and words end there.
    if (endsOf[Math.floor(pairs[index]! / KINDS)] !== Ends.WORD) cells[index * width + UNSEEN] = index * step;
    index++;
  }
  const used = cells.slice(0, pairs.length * width);
  const states = new Int32Array(pairs.length * step);
  for (const [index, pair] of pairs.entries()) states[index * step] = Math.floor(pair / KINDS);
  const befores = new Uint8Array(states.length);
  for (const [index, pair] of pairs.entries()) befores[index * step] = pair % KINDS;
  return {
    bytes: used.byteLength + rows.byteLength + 10 * states.length,
    cells: used,
    rowOf: (state, before) => (state < dense.hot ? rows[state * KINDS + before]! : -1),
    states,
    befores,
    ends: Uint8Array.from(states, (state) => endsOf[state]!),
    lasts: Int32Array.from(states, (state) => lastOf[state]!),
    isSameWhite: (row, column) => goesOnInWhite(table, states[row]!, column, white),
  };
}

/** Whether a column goes on with a run of white space, which is one: what ends in its first character was asked about there. */
export function goesOnInWhite(table: Int32Array, state: number, column: number, white: number): boolean {
  return column === white && white !== OTHER && state !== 0 && symbolOf(table, state) === white;
}
