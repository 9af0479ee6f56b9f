import { COLUMN_BITS, OTHER } from '../alphabet.js';
import { buildDenseRows, LEAVE } from '../dense-rows.js';
import type { KeywordAutomaton } from '../keyword-automaton.js';
import { type GateAlphabet, LOOK } from './gate-alphabet.js';

/** What stands before a character, as far as lone letters ask: nothing that is a letter, one letter alone, more of them. */
export const Before = { BREAK: 0, ONE: 1, MORE: 2 } as const;
const KINDS = 3;

/** What stands before the character after one. */
export const after = (before: number, isBreak: boolean): number =>
  isBreak ? Before.BREAK : Math.min(before + 1, Before.MORE);

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
/** Set in a cell when a letter that stood alone ends there; the rest is the next row. `LEAVE` has that bit, too. */
export const ALONE = 1 << 15;

export function buildGateRows(automaton: KeywordAutomaton, { breaks, white }: GateAlphabet): GateRows {
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
    for (let column: number = OTHER; column < LOOK; column++) {
      const next = dense.cells[(state << COLUMN_BITS) + column]!;
      const isBreak = breaks[column] === 1;
      if (next === LEAVE) continue;
      const target = rowOf(next * KINDS + after(before, isBreak));
      const flag = isBreak && before === Before.ONE ? ALONE : 0;
      if (target >= 0) cells[(row << COLUMN_BITS) + column] = target | flag;
    }
  }
  return {
    cells: cells.slice(0, pairs.length << COLUMN_BITS),
    rowOf: (state, before) => (state < dense.hot ? rows[state * KINDS + before]! : -1),
    states: Int32Array.from(pairs, (pair) => Math.floor(pair / KINDS)),
    befores: Uint8Array.from(pairs, (pair) => pair % KINDS),
  };
}
