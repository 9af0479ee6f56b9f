/**
 * Pictures, as most emoji are, which the gate reads as two halves, each a sign of its own: 662 of 5,815
 * short messages have something to be looked at, with pictures 1,455. What shares their first halves and can be read as a letter or a digit is none.
 */
import { highOf, lowOf } from '../alphabet.js';
import { mayReadAsLetter } from './likeness.js';
import { readingOf } from './readings.js';

/** First halves of pairs that are pictures, but for a few. That of flags and letters in squares is not among them. */
const highs = [0xd83d, 0xd83e];
const LOW = 0xdc00;
const COUNT = 0x400;
/** Blocks of pictures, which decompose into nothing: not to be read one by one. */
export const isInPictureBlocks = (code: number) => code >= 0x1f300 && code <= 0x1faff;

/** Second halves that are something else behind one of the first halves, once found out. */
let exceptions: ReadonlySet<number> | undefined;

/** Whether a unit is a first half of pictures. */
export const isPictureHigh = (unit: number) => highs.includes(unit);

/** Whether a unit is a second half that makes pictures of all first halves. */
export function isPictureLow(unit: number): boolean {
  exceptions ??= findExceptions();
  return (unit & 0xfc00) === LOW && !exceptions.has(unit);
}

/** Whether a code point is a picture of which both halves are. */
export function isPicture(code: number): boolean {
  if (code <= 0xffff) return false;
  return isPictureHigh(highOf(code)) && isPictureLow(lowOf(code));
}

function findExceptions(): Set<number> {
  const found = new Set<number>();
  for (const high of highs) {
    const first = ((high - 0xd800) << 10) + 0x10000;
    for (let code = first; code < first + COUNT; code++) {
      const isOther = mayReadAsLetter(code) || (!isInPictureBlocks(code) && readingOf(code).kind !== 'other');
      if (isOther) found.add(LOW + (code - first));
    }
  }
  return found;
}
