import { COLUMN_BITS, OTHER } from '../alphabet.js';
import { buildDenseRows, LEAVE } from '../dense-rows.js';
import { type KeywordAutomaton, MAX_ROWS, outputOf, symbolOf } from '../keyword-automaton.js';
import { type GateAlphabet, INTRICATE, signOf, UNSEEN } from './gate-alphabet.js';
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

/**
 * Rows of pairs: a state of the automaton and what stands before. So lone letters are seen by the same read as terms.
 */
export interface GateRows {
  readonly bytes: number;
  /** `cells[(row << COLUMN_BITS) + column]`: the next row, with `ALONE` or without, or `LEAVE`. Row 0 is that of the beginning of a text. */
  readonly cells: Uint16Array;
  /** The row of a state with what stands before; negative when there is none. */
  rowOf(state: number, before: number): number;
  /** By row. */
  readonly states: Int32Array;
  readonly befores: Uint8Array;
}

/** Set in a cell when a third letter that stands alone ends there; the rest is the next row. `LEAVE` has that bit, too. */
export const ALONE = 1 << 15;

/**
 * Builds the rows. `endsWord` tells of a state that what ends there does only where no letter follows: it has a row like any
 * other, and scans leave it for what is no letter.
 */
export function buildGateRows(
  automaton: KeywordAutomaton,
  { breaks, signs, white }: GateAlphabet,
  endsWord: (state: number) => boolean,
): GateRows {
  const dense = buildDenseRows(automaton, { white });
  const rows = new Int32Array(dense.hot * KINDS).fill(-1);
  const pairs: number[] = [];
  const rowOf = (pair: number): number => {
    if (rows[pair]! < 0 && pairs.length < MAX_ROWS) rows[pair] = pairs.push(pair) - 1;
    return rows[pair]!;
  };
  rowOf(0);
  const cells = new Uint16Array(Math.min(MAX_ROWS, rows.length) << COLUMN_BITS).fill(LEAVE);
  for (let row = 0; row < pairs.length; row++) {
    const state = Math.floor(pairs[row]! / KINDS);
    const before = pairs[row]! % KINDS;
    const mayEnd = outputOf(automaton.table, state) >= 0 && endsWord(state);
    for (let column: number = OTHER; column < UNSEEN; column++) {
      const isSign = column >= INTRICATE;
      const letter = isSign ? signs[column - INTRICATE]! : column;
      const isBar = isSign && bars.has(signOf(column));
      const isBreak = breaks[letter] === 1;
      const next = dense.cells[(state << COLUMN_BITS) + letter]!;
      // A run of white space is one: what ends in its first character was asked about there.
      const isSameRun =
        letter === white && white !== OTHER && state !== 0 && symbolOf(automaton.table, state) === white;
      // Where a term ends at once there is a row to come back to, but no way there past the term.
      const to = isSameRun ? state : next === LEAVE ? automaton.step(state, letter) : next;
      if (to >= dense.hot) continue;
      const target = rowOf(to * KINDS + (isSign ? afterSign(before, isBar) : after(before, isBreak)));
      const flag = (isBreak || isSign) && mayBeThird(before) ? ALONE : 0;
      const isLeft = mayEnd && (isBreak || isSign);
      if (target >= 0 && !isLeft && (isSameRun || next !== LEAVE || endsWord(to))) {
        cells[(row << COLUMN_BITS) + column] = target | flag;
      }
    }
    // Case folding sees hidden characters, and words end there.
    if (!mayEnd) cells[(row << COLUMN_BITS) + UNSEEN] = row;
  }
  const states = Int32Array.from(pairs, (pair) => Math.floor(pair / KINDS));
  const befores = Uint8Array.from(pairs, (pair) => pair % KINDS);
  const used = cells.slice(0, pairs.length << COLUMN_BITS);
  return {
    bytes: used.byteLength + rows.byteLength + states.byteLength + befores.byteLength,
    cells: used,
    rowOf: (state, before) => (state < dense.hot ? rows[state * KINDS + before]! : -1),
    states,
    befores,
  };
}
