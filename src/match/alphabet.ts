import { caseFolds } from './case-folding.js';
import { type Folding, isWhite, WHITE } from './folding.js';

/** Class of every character that no term contains. */
export const OTHER = 0;
/** Marks white space, runs of which count as one. Negative like `SURROGATE`, so that a scan asks for both at once. */
export const WHITE_UNIT = -1;
/** Marks half of an astral character, or a lone surrogate; see `Alphabet.astral`. */
export const SURROGATE = -2;

/**
 * The characters that matter to a set of terms, folded: equal characters share a class. Folding costs one table read
 * per character this way, and offsets stay those of the text as it was sent.
 */
export interface Alphabet {
  /** Class of each UTF-16 unit, or `WHITE_UNIT` or `SURROGATE`. */
  readonly units: Int32Array;
  /** Class of code points beyond the basic plane and of lone surrogates; absent ones are `OTHER`. */
  readonly astral: ReadonlyMap<number, number>;
  /** How many classes there are, `OTHER` included; white space is one when a term contains it. */
  readonly size: number;
  /** Class number of white space inside the automaton, `OTHER` when no term contains it. */
  readonly white: number;
  /** Class of a folded symbol. */
  readonly classOf: (symbol: number) => number;
}

const isSurrogate = (code: number) => (code & 0xfffff800) === 0xd800;

/** Gives classes to the symbols of folded terms, the commonest first, so that dense tables hold what is hot. */
export function buildAlphabet(terms: readonly (readonly number[])[], folding: Folding): Alphabet {
  const counts = new Map<number, number>();
  for (const term of terms) for (const symbol of term) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  const symbols = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || a - b);
  const classes = new Map<number, number>(symbols.map((symbol, rank) => [symbol, rank + 1]));
  const units = new Int32Array(0x10000);
  const astral = new Map<number, number>();
  const assign = (code: number, classNumber: number) => {
    if (code > 0xffff || isSurrogate(code)) astral.set(code, classNumber);
    else units[code] = classNumber;
  };
  for (const [symbol, classNumber] of classes) if (symbol !== WHITE) assign(symbol, classNumber);
  if (folding === 'case') {
    for (const [code, folded] of caseFolds) {
      const classNumber = classes.get(folded);
      if (classNumber !== undefined) assign(code, classNumber);
    }
  }
  const white = classes.get(WHITE) ?? OTHER;
  if (white !== OTHER) for (let unit = 0; unit < 0x10000; unit++) if (isWhite(unit)) units[unit] = WHITE_UNIT;
  units.fill(SURROGATE, 0xd800, 0xe000);
  return { units, astral, size: symbols.length + 1, white, classOf: (symbol) => classes.get(symbol) ?? OTHER };
}
