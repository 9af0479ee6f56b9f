import type { Folding } from './folding.js';
import { foldUnits, isWhite, WHITE } from './folding.js';
import type { TermPool } from './term-pool.js';

/** Class of every character that no term contains. */
export const OTHER = 0;
/** Class of a unit that the scan has to look at: half of an astral character, or a character too rare for a column. */
export const LOOK = 1;
const FIRST = 2;

/**
 * The characters that matter to a set of terms, folded: equal characters share a class. Folding costs one table read
 * per character this way, and offsets stay those of the text as it was sent.
 */
export interface Alphabet {
  /** Class of each UTF-16 unit, below `width`. */
  readonly units: Uint8Array;
  /** Class of each UTF-16 unit that is a character by itself, whether it has a column or not. */
  readonly classes: Uint16Array;
  /** How many classes have columns. */
  readonly width: number;
  /** How many classes there are. */
  readonly size: number;
  /** Class of white space, runs of which count as one; `OTHER` when no term contains any. */
  readonly white: number;
  /** Class of a folded symbol; `OTHER` when no term contains it. */
  classOf(symbol: number): number;
}

/** Gives classes to the symbols of terms, the commonest first, so that columns hold what is hot. */
export function buildAlphabet(pool: TermPool, folding: Folding, maxWidth: number): Alphabet {
  const counts = new Map<number, number>();
  for (const symbol of pool.symbols) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  const symbols = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || a - b);
  const ofSymbol = new Map<number, number>(symbols.map((symbol, rank) => [symbol, rank + FIRST]));
  const size = symbols.length + FIRST;
  const width = Math.min(size, maxWidth, 0x100);
  const ofFolded = new Uint16Array(0x10000);
  for (const [symbol, classNumber] of ofSymbol) {
    if (symbol !== WHITE && symbol <= 0xffff) ofFolded[symbol] = classNumber;
  }
  const folded = foldUnits(folding);
  const white = ofSymbol.get(WHITE) ?? OTHER;
  const classes = new Uint16Array(0x10000);
  const units = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    const classNumber = isWhite(unit) ? white : ofFolded[folded[unit]!]!;
    classes[unit] = classNumber;
    units[unit] = classNumber < width ? classNumber : LOOK;
  }
  units.fill(LOOK, 0xd800, 0xe000);
  return { units, classes, width, size, white, classOf: (symbol) => ofSymbol.get(symbol) ?? OTHER };
}
