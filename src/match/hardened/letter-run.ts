import type { Letter, Letters } from './letters.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { END, UNCLEAR } from './unit-classes.js';

/** Letters one after the other, with their classes, and where the run of one class ends that each is in. */
export interface LetterRun {
  readonly letters: Letters;
  readonly count: number;
  readonly classes: Int32Array;
  readonly groupEnds: Int32Array;
  /** How often the letter changed up to each. */
  readonly changes: Int32Array;
  /** How many before each, it included, are no digits or signs for letters. */
  readonly heard: Int32Array;
  /** The class of what follows them; `UNCLEAR` when that is not known. */
  readonly classBehind: number;
}

/** Finds the runs of one class among the first `count` letters. */
export function toRun(letters: Letters, count: number, classBehind: number = UNCLEAR): LetterRun {
  const classes = new Int32Array(count);
  const groupEnds = new Int32Array(count);
  const changes = new Int32Array(count);
  const heard = new Int32Array(count);
  for (let index = 0, last = 0, seen = 0, spoken = 0; index < count; index++) {
    const { base } = letters(index)!;
    if (base !== last) seen++;
    last = base;
    classes[index] = classOf(base);
    changes[index] = seen;
    if (base > 0x7f || !mayReadAsLetter(base)) spoken++;
    heard[index] = spoken;
  }
  for (let index = count - 1; index >= 0; index--) {
    const goesOn = index + 1 < count && classes[index + 1] === classes[index];
    groupEnds[index] = goesOn ? groupEnds[index + 1]! : index + 1;
  }
  return { letters, count, classes, groupEnds, changes, heard, classBehind };
}

/** The letters that stand before offset `end`. */
export function runUntil(letters: Letters, end: number): LetterRun {
  let count = 0;
  let letter: Letter | undefined = letters(0);
  for (; letter !== undefined && letter.from < end; letter = letters(count)) count++;
  return toRun(letters, count, letter === undefined ? END : classOf(letter.base));
}
