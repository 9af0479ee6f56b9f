import type { Letter, Letters } from './letters.js';
import { classOf } from './likeness.js';

/** Letters one after the other, with their classes, and where the run of one class ends that each is in. */
export interface LetterRun {
  readonly letters: Letters;
  readonly count: number;
  readonly classes: Int32Array;
  readonly groupEnds: Int32Array;
}

/** Finds the runs of one class among the first `count` letters. */
export function toRun(letters: Letters, count: number): LetterRun {
  const classes = new Int32Array(count);
  const groupEnds = new Int32Array(count);
  for (let index = 0; index < count; index++) classes[index] = classOf(letters(index)!.base);
  for (let index = count - 1; index >= 0; index--) {
    const goesOn = index + 1 < count && classes[index + 1] === classes[index];
    groupEnds[index] = goesOn ? groupEnds[index + 1]! : index + 1;
  }
  return { letters, count, classes, groupEnds };
}

/** The letters that stand before offset `end`. */
export function runUntil(letters: Letters, end: number): LetterRun {
  let count = 0;
  for (let letter: Letter | undefined = letters(0); letter !== undefined && letter.from < end; letter = letters(count))
    count++;
  return toRun(letters, count);
}
