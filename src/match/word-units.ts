/**
 * What a UTF-16 unit means to a scan for whole words. A number at least 0 joins a word and is mixed into its hash; a negative
 * one ends it: `BREAK` and nothing more, or `LOOK`, where the scan has to look closer.
 *
 * Units are learned when they first occur: to ask Unicode's properties of all 65,536 of them takes 15 ms.
 */
import { type Folding, foldCodePoint, isWhite, WHITE } from './folding.js';
import { joinsWords } from './word-edges.js';

export const BREAK = 0x80000000 | 0;
/** Odd, which a break is not: the scan asks for both at once. */
export const LOOK = BREAK | 1;

export interface WordUnits {
  readonly entries: Int32Array;
  /** Finds out what a unit is that was looked at for the first time. */
  learn(unit: number): void;
}

/** Makes a table. `starts` says whether some term begins with a character that joins no word. */
export function createWordUnits(folding: Folding, starts: (symbol: number) => boolean): WordUnits {
  const entries = new Int32Array(0x10000).fill(LOOK);
  const entryOf = (unit: number): number => {
    if ((unit & 0xfc00) === 0xdc00) return starts(unit) ? LOOK : BREAK;
    if ((unit & 0xfc00) === 0xd800) return isPlainPlane(unit, folding, starts) ? BREAK : LOOK;
    if (isWhite(unit)) return starts(WHITE) ? LOOK : BREAK;
    const symbol = foldCodePoint(unit, folding);
    if (joinsWords(unit)) return hashOf(symbol);
    return starts(symbol) ? LOOK : BREAK;
  };
  const learn = (unit: number) => {
    entries[unit] = entryOf(unit);
  };
  for (let unit = 0; unit < 0x80; unit++) learn(unit);
  return { entries, learn };
}

/** A number from 1 to 2^31 - 1 for a symbol, well mixed: words are told apart by sums of these. */
export function hashOf(symbol: number): number {
  let mixed = Math.imul(symbol + 2, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 1) | 1;
}

/** Whether no character that this first half of a pair begins joins a word or begins a term: most emoji. */
function isPlainPlane(high: number, folding: Folding, starts: (symbol: number) => boolean): boolean {
  const first = ((high - 0xd800) << 10) + 0x10000;
  for (let code = first; code < first + 0x400; code++) {
    if (joinsWords(code) || starts(foldCodePoint(code, folding))) return false;
  }
  return !starts(high);
}
