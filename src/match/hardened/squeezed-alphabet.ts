/** The letters that matter to a set of hardened terms, by class, and their rows: runs of one letter are one step. */
import { type KeywordAutomaton, outputOf, symbolOf } from '../keyword-automaton.js';
import { classOf } from './likeness.js';
import { readingOf } from './readings.js';

/** Symbol of every letter that no term contains. */
export const OTHER = 0;
/** Symbol of a unit that the scan has to look at. */
export const LOOK = 1;
const FIRST = 2;
/** Says in a cell that the character itself has to be looked at. */
export const LOOK_CELL = 0x80000000 | 0;
const MAX_WIDTH = 96;
const MAX_CELLS = 1 << 18;

export interface SqueezedAlphabet {
  /** Symbol of each UTF-16 unit, below `width`. */
  readonly units: Uint8Array;
  readonly width: number;
  readonly size: number;
  symbolOf(letterClass: number): number;
  /** Finds out what a unit is that was looked at for the first time. */
  learn(unit: number): void;
}

/** Numbers the classes of the letters of all terms, the commonest first. */
export function createSqueezedAlphabet(classes: Int32Array): SqueezedAlphabet {
  const counts = new Map<number, number>();
  for (const letter of classes) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const ranked = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || a - b);
  const symbols = new Map(ranked.map((letter, rank) => [letter, rank + FIRST]));
  const size = ranked.length + FIRST;
  const width = Math.min(size, MAX_WIDTH);
  const units = new Uint8Array(0x10000).fill(LOOK);
  const symbolOf = (letterClass: number) => symbols.get(letterClass) ?? OTHER;
  const learn = (unit: number) => {
    if ((unit & 0xf800) === 0xd800) return;
    const { letters } = readingOf(unit);
    const symbol = letters.length === 1 ? symbolOf(classOf(letters[0]!)) : LOOK;
    if (symbol < width) units[unit] = symbol;
  };
  for (let unit = 0; unit < 0x80; unit++) learn(unit);
  return { units, width, size, symbolOf, learn };
}

/** Rows of the states near the root, where a state stays where it is while the letter that led into it is repeated. */
export function buildSqueezedRows({ states, step, table }: KeywordAutomaton, width: number) {
  const hot = Math.min(states, Math.floor(MAX_CELLS / width));
  const next = new Int32Array(hot * width);
  for (let state = 0; state < hot; state++) {
    const row = state * width;
    for (let symbol = 0; symbol < width; symbol++) next[row + symbol] = step(state, symbol);
    const own = symbolOf(table, state);
    if (state !== 0 && own < width) next[row + own] = state;
  }
  const cells = next.map((state) => (state < hot && outputOf(table, state) < 0 ? state * width : ~state));
  for (let state = 0; state < hot; state++) cells[state * width + LOOK] = LOOK_CELL;
  return { hot, cells };
}
