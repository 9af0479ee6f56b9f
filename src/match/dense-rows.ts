import { type Alphabet, LOOK } from './alphabet.js';
import type { KeywordAutomaton } from './keyword-automaton.js';

/**
 * Rows of the states where a scan spends its time, the ones near the root, with failures resolved: one read per character.
 * A row for every state of a large list would be no faster, since such a table outgrows the caches.
 */
export interface DenseRows {
  /** States below this number have rows. */
  readonly hot: number;
  readonly width: number;
  /**
   * `cells[state * width + class]`: the offset of the next state's row, when it has one and ends no term. Else negative:
   * `LOOK_CELL`, or the complement of the next state.
   */
  readonly cells: Int32Array;
}

/** Says that the character itself has to be looked at; see `LOOK`. */
export const LOOK_CELL = 0x80000000 | 0;

/** At the most so many cells: 1 MiB of them, which the second-level caches of today hold. */
const MAX_CELLS = 1 << 18;

/** Builds rows for as many states as fit. Within a run of white space a state that white space led to stays. */
export function buildDenseRows(automaton: KeywordAutomaton, { width, white }: Alphabet): DenseRows {
  const { failure, firstChild, label, output } = automaton;
  const hot = Math.min(automaton.states, Math.floor(MAX_CELLS / width));
  const next = new Int32Array(hot * width);
  for (let state = 0; state < hot; state++) {
    const row = state * width;
    if (state !== 0) next.copyWithin(row, failure[state]! * width, (failure[state]! + 1) * width);
    for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++) {
      if (label[child]! < width) next[row + label[child]!] = child;
    }
    if (state !== 0 && label[state] === white && white < width) next[row + white] = state;
  }
  const cells = next.map((state) => (state < hot && output[state]! < 0 ? state * width : ~state));
  for (let state = 0; state < hot; state++) cells[state * width + LOOK] = LOOK_CELL;
  return { hot, width, cells };
}
