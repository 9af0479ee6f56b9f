import { COLUMN_BITS, OTHER } from '../alphabet.js';
import { buildDenseRows, LEAVE } from '../dense-rows.js';
import type { KeywordAutomaton } from '../keyword-automaton.js';
import { type GateAlphabet, INTRICATE, UNSEEN } from './gate-alphabet.js';

/**
 * What stands before a character, as far as lone letters ask: a word, or the n-th letter of those that stand alone one after
 * the other, or what separates after n of them; or a sign, which may be the last of such letters or stand before the first.
 */
export const Before = { BREAK: 0, ONE: 1, BREAK_1: 2, TWO: 3, BREAK_2: 4, THREE: 5, MORE: 6, SIGN: 7 } as const;
const KINDS = 8;

/** What stands before the character after one. */
export function after(before: number, isBreak: boolean): number {
  if (before === Before.SIGN) return isBreak ? Before.BREAK_2 : Before.THREE;
  if (before === Before.MORE) return isBreak ? Before.BREAK : Before.MORE;
  const isBehindLetter = (before & 1) === 1;
  if (!isBreak) return isBehindLetter ? Before.MORE : before + 1;
  return isBehindLetter ? Math.min(before + 1, Before.BREAK_2) : before;
}

/** Whether a third letter that stands alone may end behind what stands before. */
export function mayBeThird(before: number): boolean {
  return before === Before.THREE || before === Before.SIGN;
}

/**
 * Rows of pairs: a state of the automaton and what stands before. So lone letters are seen by the same read as terms.
 */
export interface GateRows {
  /** `cells[(row << COLUMN_BITS) + column]`: the next row, with `ALONE` or without, or `LEAVE`. Row 0 is that of the beginning of a text. */
  readonly cells: Uint16Array;
  /** The row of a state with what stands before; negative when there is none. */
  rowOf(state: number, before: number): number;
  /** By row. */
  readonly states: Int32Array;
  readonly befores: Uint8Array;
}

const MAX_ROWS = 1 << 14;
/** Set in a cell when a third letter that stands alone ends there; the rest is the next row. `LEAVE` has that bit, too. */
export const ALONE = 1 << 15;

export function buildGateRows(automaton: KeywordAutomaton, { breaks, signs, white }: GateAlphabet): GateRows {
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
    for (let column: number = OTHER; column < UNSEEN; column++) {
      const isSign = column >= INTRICATE;
      const letter = isSign ? signs[column - INTRICATE]! : column;
      const isBreak = breaks[letter] === 1;
      const next = dense.cells[(state << COLUMN_BITS) + letter]!;
      // Where a term may end there is a row to come back to, but no way there past the term.
      const to = next === LEAVE ? automaton.step(state, letter) : next;
      if (to >= dense.hot) continue;
      const target = rowOf(to * KINDS + (isSign ? Before.SIGN : after(before, isBreak)));
      const flag = (isBreak || isSign) && mayBeThird(before) ? ALONE : 0;
      if (target >= 0 && next !== LEAVE) cells[(row << COLUMN_BITS) + column] = target | flag;
    }
    cells[(row << COLUMN_BITS) + UNSEEN] = row;
  }
  return {
    cells: cells.slice(0, pairs.length << COLUMN_BITS),
    rowOf: (state, before) => (state < dense.hot ? rows[state * KINDS + before]! : -1),
    states: Int32Array.from(pairs, (pair) => Math.floor(pair / KINDS)),
    befores: Uint8Array.from(pairs, (pair) => pair % KINDS),
  };
}
