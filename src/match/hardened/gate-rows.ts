import { OTHER } from '../alphabet.js';
import { LEAVE } from '../dense-rows.js';
import { MAX_ROWS, symbolOf } from '../keyword-automaton.js';
import { FIRST_LETTER, FIRST_SIGN, LOOK, signOf, UNSEEN } from './gate-alphabet.js';
import type { GateAutomaton } from './gate-automaton.js';
import { Ends } from './gate-ends.js';
import type { GateStates } from './gate-states.js';
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
const isCommon = (before: number) => before === Before.BREAK || before === Before.ONE || before === Before.MORE;
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

/** Rows begin at multiples of 2 ** `ROW_BITS` cells: a row of 64 columns has the room of two, and an even number. */
export const ROW_BITS = 5;

/**
 * Rows of pairs: a state of the automaton and what stands before. So lone letters are seen by the same read as terms.
 */
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

/** Builds the rows: first those that texts without signs for letters and hidden characters come to. */
export function buildGateRows(gate: GateAutomaton, states: GateStates): GateRows {
  const { table } = gate.automaton;
  const { breaks, signs, white, width } = gate.alphabet;
  const { begin, count, ends, free, freeCount } = states;
  const step = width >> ROW_BITS;
  const most = Math.min(Math.floor(MAX_ROWS / step), count * KINDS);
  const rows = new Int32Array(count * KINDS).fill(-1);
  const pairs: number[] = [];
  // Rows of which letters, signs or hidden characters are to be filled in, in this order: the first are the most frequent.
  const letters: number[] = [];
  const signed: number[] = [];
  const freeLetters: number[] = [];
  const freeSigns: number[] = [];
  const rareLetters: number[] = [];
  const rareSigns: number[] = [];
  const hidden: number[] = [];
  /** Where words may begin, one state tells as much as another that began nothing. */
  const pairOf = (state: number, before: number) =>
    (state === 0 && isBreakKind(before) ? begin : state) * KINDS + before;
  const rowOf = (state: number, before: number): number => {
    const pair = pairOf(state, before);
    if (rows[pair]! < 0 && pairs.length < most) {
      rows[pair] = pairs.length * step;
      const isFree = pair < freeCount * KINDS;
      const isRare = !isCommon(before) && free[state] !== 0;
      (isRare ? rareLetters : isFree ? freeLetters : letters).push(pairs.length);
      (isRare ? rareSigns : isFree ? freeSigns : signed).push(pairs.length);
      hidden.push(pairs.length);
      pairs.push(pair);
    }
    return rows[pair]!;
  };
  const cells = new Uint16Array(most * width).fill(LEAVE);
  const fillLetter = (index: number, column: number): void => {
    const [state, before] = [Math.floor(pairs[index]! / KINDS), pairs[index]! % KINDS];
    const isBreak = breaks[column] === 1;
    const isSameRun = goesOnInWhite(table, free[state]!, column, white);
    const next = isSameRun ? state : states.behind(state, column);
    const target = next < 0 ? -1 : rowOf(next, after(before, isBreak));
    if (target < 0) return;
    const asksBefore = isBreak && (ends[state] === Ends.WORD || mayBeThird(before));
    const asksBehind = !isSameRun && states.endsWith(state, column);
    cells[index * width + column] = asksBefore || asksBehind ? target | ASK : target;
  };
  const fillLetters = (index: number): void => {
    for (let column: number = OTHER; column < LOOK; column++) fillLetter(index, column);
    for (let column = FIRST_LETTER; column < width; column++) fillLetter(index, column);
  };
  const fillSigns = (index: number): void => {
    const [state, before] = [Math.floor(pairs[index]! / KINDS), pairs[index]! % KINDS];
    for (let column = FIRST_SIGN; column < FIRST_LETTER; column++) {
      const next = states.freelyBehind(free[state]!, signs[column - FIRST_SIGN]!);
      const target = next < 0 ? -1 : rowOf(next, afterSign(before, bars.has(signOf(column))));
      if (target < 0) continue;
      const asks = ends[state] === Ends.WORD || mayBeThird(before) || ends[next] === Ends.AT_ONCE;
      cells[index * width + column] = asks ? target | ASK : target;
    }
  };
  /** Case folding sees hidden characters, and words end and begin there. */
  const fillHidden = (index: number): void => {
    const [state, before] = [Math.floor(pairs[index]! / KINDS), pairs[index]! % KINDS];
    const target = ends[state] === Ends.WORD ? -1 : rowOf(state === begin ? state : free[state]!, before);
    if (target >= 0) cells[index * width + UNSEEN] = target;
  };
  const tasks = [
    { of: letters, fill: fillLetters },
    { of: signed, fill: fillSigns },
    { of: freeLetters, fill: fillLetters },
    { of: freeSigns, fill: fillSigns },
    { of: rareLetters, fill: fillLetters },
    { of: rareSigns, fill: fillSigns },
    { of: hidden, fill: fillHidden },
  ].map((task) => ({ ...task, next: 0 }));
  rowOf(begin, Before.BREAK);
  for (let before = 0; before < KINDS; before++) rowOf(0, before);
  for (;;) {
    const task = tasks.find(({ of, next }) => next < of.length);
    if (task === undefined) break;
    task.fill(task.of[task.next++]!);
  }
  const used = cells.slice(0, pairs.length * width);
  const freeRows = rows.slice(0, Math.max(freeCount, begin + 1) * KINDS);
  const stateOf = new Int32Array(pairs.length * step);
  for (const [index, pair] of pairs.entries()) stateOf[index * step] = Math.floor(pair / KINDS);
  const befores = new Uint8Array(stateOf.length);
  for (const [index, pair] of pairs.entries()) befores[index * step] = pair % KINDS;
  return {
    bytes: used.byteLength + freeRows.byteLength + 10 * stateOf.length,
    cells: used,
    rowOf: (state, before) => (state < freeCount ? freeRows[pairOf(state, before)]! : -1),
    states: Int32Array.from(stateOf, (state) => free[state]!),
    befores,
    ends: Uint8Array.from(stateOf, (state) => ends[state]!),
    lasts: Int32Array.from(stateOf, (state) => states.lasts[state]!),
    lastsOfFree: states.lasts.subarray(0, freeCount),
    isSameWhite: (row, column) => goesOnInWhite(table, free[stateOf[row]!]!, column, white),
  };
}

/** Whether a column goes on with a run of white space, which is one: what ends in its first character was asked about there. */
export function goesOnInWhite(table: Int32Array, state: number, column: number, white: number): boolean {
  return column === white && white !== OTHER && state !== 0 && symbolOf(table, state) === white;
}
