/**
 * Columns for the classes of letters that hardened terms hold, and what each UTF-16 unit of a text means to the gate: its
 * column, and whether it stands between lone letters.
 */
import { COLUMN_BITS, dealColumns, OTHER } from '../alphabet.js';
import { WHITE } from '../folding.js';
import { joinsWords } from '../word-edges.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { type Reading, readingOf } from './readings.js';
import { bars } from './spaced.js';

/** Column of what has to be looked at: what is hidden, a sign that may be a letter, several letters, half a pair, news. */
export const LOOK = (1 << COLUMN_BITS) - 1;
/** Set in an entry of a unit that separates lone letters. */
export const BREAK_BIT = 1 << COLUMN_BITS;
/** Bits of an entry. */
export const ENTRY_BITS = COLUMN_BITS + 1;
/** Set for a character that is now a letter and now a sign, as `!` and `|` are. */
export const SIGN_BIT = 1 << ENTRY_BITS;
/** Stands for what leaves no trace among letters, and for the byte order mark, which is white space to case folding. */
export const HIDDEN = -1;
export const BYTE_ORDER = -2;
/** So many characters are remembered. */
const MAX_KNOWN = 4096;
const UNDERSCORE = 0x5f;
const BYTE_ORDER_MARK = 0xfeff;

export interface GateAlphabet {
  /** By UTF-16 unit: its column, with `BREAK_BIT` when it separates lone letters. */
  readonly entries: Uint8Array;
  readonly width: number;
  /** Column of white space; `OTHER` when no term holds any. */
  readonly white: number;
  columnOf(letter: number): number;
  /** The entry of a unit that was looked at for the first time, noted unless it has to be looked at every time. */
  learn(unit: number): number;
  /** What a character is that has to be looked at: an entry with `SIGN_BIT`, or `HIDDEN` or `BYTE_ORDER`. */
  lookAt(code: number): number;
}

/** Deals the classes of letters out to columns, the commonest first. */
export function createGateAlphabet(classes: readonly number[]): GateAlphabet {
  const counts = new Map<number, number>();
  for (const one of classes) counts.set(one, (counts.get(one) ?? 0) + 1);
  const columns = dealColumns(counts, LOOK);
  const columnOf = (letter: number) => columns.get(letter === WHITE ? WHITE : classOf(letter)) ?? OTHER;
  const entries = new Uint8Array(0x10000).fill(LOOK);
  const known = new Map<number, number>();
  const lookAt = (code: number): number => {
    const before = known.get(code);
    if (before !== undefined) return before;
    if (known.size >= MAX_KNOWN) known.clear();
    const look = read(code);
    known.set(code, look);
    return look;
  };
  const read = (code: number): number => {
    if (code === BYTE_ORDER_MARK) return BYTE_ORDER;
    const reading = readingOf(code);
    if (reading.kind === 'mark' || reading.kind === 'ignorable') return HIDDEN;
    const column = reading.letters.length === 1 ? columnOf(reading.letters[0]!) : LOOK;
    const separates = !isLetter(code, reading) || bars.has(code);
    return column | (separates ? BREAK_BIT : 0) | (isSign(code, reading) ? SIGN_BIT : 0);
  };
  const learn = (unit: number): number => {
    if ((unit & 0xf800) === 0xd800) return LOOK;
    const look = lookAt(unit);
    if (look < 0 || (look & SIGN_BIT) !== 0 || (look & LOOK) === LOOK) return LOOK;
    entries[unit] = look;
    return look;
  };
  for (let unit = 0; unit < 0x80; unit++) learn(unit);
  return { entries, width: LOOK + 1, white: columns.get(WHITE) ?? OTHER, columnOf, learn, lookAt };
}

/** Whether a character may stand alone as a letter of a spaced term. */
function isLetter(code: number, { letters }: Reading): boolean {
  const [letter] = letters;
  if (letter === undefined || letters.length > 1 || code === UNDERSCORE || letter === WHITE) return false;
  return joinsWords(letter) || mayReadAsLetter(letter);
}

/** Whether a character is now a letter and now a sign, as `!` and `|` are. */
function isSign(code: number, reading: Reading): boolean {
  return bars.has(code) || (isLetter(code, reading) && !joinsWords(code));
}
