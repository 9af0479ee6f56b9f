/**
 * What a UTF-16 unit means to the scan for whole words, letters that may be read alike are one number.
 * What does not stand for exactly one letter, and signs that may be letters, the scan looks at.
 */
import { joinsWords } from '../word-edges.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { isInPictureBlocks } from './pictures.js';
import { readingOf } from './readings.js';
import { BREAK, hashOf, LOOK } from './word-hash.js';

export interface HardenedUnits {
  readonly entries: Int32Array;
  /** Finds out what a unit is that was looked at for the first time. */
  learn(unit: number): void;
}

const UNDERSCORE = 0x5f;

/** Makes a table. `starts` says whether a term begins with a letter of some class that joins no words. */
export function createHardenedUnits(starts: (letterClass: number) => boolean): HardenedUnits {
  const entries = new Int32Array(0x10000).fill(LOOK);
  const entryOf = (unit: number): number => {
    if ((unit & 0xfc00) === 0xdc00) return starts(unit) ? LOOK : BREAK;
    if ((unit & 0xfc00) === 0xd800) return isPlainPlane(unit, starts) ? BREAK : LOOK;
    const { kind, letters } = readingOf(unit);
    if (kind === 'other') return letters.some((letter) => starts(classOf(letter))) ? LOOK : BREAK;
    if (kind !== 'letter' || letters.length !== 1 || unit === UNDERSCORE) return LOOK;
    return hashOf(classOf(letters[0]!));
  };
  const learned = new Uint8Array(0x10000);
  const learn = (unit: number) => {
    if (learned[unit] === 1) return;
    learned[unit] = 1;
    entries[unit] = entryOf(unit);
  };
  for (let unit = 0; unit < 0x80; unit++) learn(unit);
  return { entries, learn };
}

/** Whether no character that this first half of a pair begins joins, is read as a letter or begins a term: most emoji. */
function isPlainPlane(high: number, starts: (letterClass: number) => boolean): boolean {
  const first = ((high - 0xd800) << 10) + 0x10000;
  for (let code = first; code < first + 0x400; code++) {
    const kind = isInPictureBlocks(code) ? 'other' : readingOf(code).kind;
    if (kind !== 'other' || joinsWords(code) || mayReadAsLetter(code) || starts(code)) return false;
  }
  return !starts(high);
}
