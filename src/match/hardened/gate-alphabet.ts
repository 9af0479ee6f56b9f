/**
 * Columns for the classes of letters that hardened terms hold, and what each character of a text means to the gate: its
 * column, and whether it stands between lone letters, which all of a column do or none.
 */
import { COLUMN_BITS, COLUMNS, dealApart, JointAlphabet, OTHER, SEPARATOR } from '../alphabet.js';
import { WHITE } from '../folding.js';
import { joinsWords } from '../word-edges.js';
import { isPartOfLetter } from './composed.js';
import { classOf, mayReadAsLetter } from './likeness.js';
import { isPictureHigh, isPictureLow } from './pictures.js';
import { type Reading, readingOf } from './readings.js';
import { bars } from './spaced.js';

/** Column of what has to be looked at: what is read as several letters, half a pair, a rare sign, news. */
export const LOOK = SEPARATOR + 1;
/** Column of what leaves no trace among letters, unless it tells of a term. */
export const UNSEEN = LOOK + 1;
/** Common signs that may be letters: each has a column, for it is now one and now stands between letters. */
const signs = [...'!$+@€'].map((sign) => sign.charCodeAt(0));
export const FIRST_SIGN = UNSEEN + 1;
/** `i` and `l`, which share a class since both may be written as `1`: they have the last two columns. */
const STROKES = [0x69, 0x6c];
/** From here on columns are those of letters. */
export const FIRST_LETTER = FIRST_SIGN + signs.length;
/** Whether a column is `LOOK`, `UNSEEN` or a sign's. */
export const isIntricate = (column: number) => column >= LOOK && column < FIRST_LETTER;
/** The sign of a column that is a sign's. */
export const signOf = (column: number) => signs[column - FIRST_SIGN]!;
/** Whether a unit is one of these signs, and separates no letters, as bars do. */
export const isSign = (unit: number) => signs.includes(unit) && !bars.has(unit);
/** Set for a character that separates lone letters. */
export const BREAK_BIT = 1 << COLUMN_BITS;
/** Set for a character that is now a letter and now a sign, as `!` and `|` are. */
export const SIGN_BIT = 2 << COLUMN_BITS;
/**
 * Stands for what leaves no trace among letters; and for what opens the gate at once: hidden characters and marks that tell of
 * a term, and the byte order mark, which is white space to case folding.
 */
export const HIDDEN = -1;
export const TELLS = -2;

/** A row is a line of the cache, half as wide, where letters that have to share a column then are few: one in so many. */
const FEW = 50;
const LAST_COLUMN = (1 << COLUMN_BITS) - 1;
const UNDERSCORE = 0x5f;
const BYTE_ORDER_MARK = 0xfeff;
/** So many characters are remembered: a power of two. */
const REMEMBERED = 1024;
const UNTOLD = -1;
/** Columns of so many letters fit into a number, which are counted above them. */
const MAX_PACKED = 4;
const COUNT_SHIFT = MAX_PACKED * COLUMN_BITS;
const LETTERS_BIT = 8;
const LETTERS = LETTERS_BIT << COUNT_SHIFT;

/** What the gate makes of characters. It learns them as they come by; what it knows of one never changes. */
export interface GateAlphabet {
  /** Column of each UTF-16 unit. */
  readonly units: Uint8Array;
  /** By column: 1 when its characters separate lone letters. */
  readonly breaks: Uint8Array;
  /** How many columns there are: `COLUMNS` or half of that. */
  readonly width: number;
  /** For the columns from `FIRST_SIGN` on, the column of the letter that the sign is read as. */
  readonly signs: Uint8Array;
  /** Column of white space; `OTHER` when no term holds any. */
  readonly white: number;
  /** By column: what the automaton is stepped by, the column itself but for those of strokes. */
  readonly symbols: Uint8Array;
  /** The columns of `i` and of `l`, which share one as letters of terms. */
  readonly strokes: readonly [i: number, l: number];
  columnOf(letter: number): number;
  /** The column of a unit that was looked at for the first time, noted unless it has to be looked at every time. */
  learn(unit: number): number;
  /** The columns with the classes of patterns; it changes as units are learned. */
  readonly joint: JointAlphabet;
  /**
   * The columns of a character's letters where they say all that matters, for `columnIn`. Negative for the others.
   */
  columnsOf(code: number): number;
  /** What a character is: its column, or `LOOK` when it is read as several letters, with bits; or `HIDDEN`, or `TELLS`. */
  lookAt(code: number): number;
}

/** Deals the classes of letters out to columns, the commonest first. Tell-tales are hidden characters to be looked at. */
export function createGateAlphabet(letters: ReadonlyMap<number, number>, tellTales: ReadonlySet<number>): GateAlphabet {
  const { width, columns } = deal(letters);
  const breaks = new Uint8Array(width);
  const symbols = Uint8Array.from({ length: width }, (_, column) => column);
  for (const letter of letters.keys()) if (separates(letter)) breaks[columns.get(keyOf(letter))!] = 1;
  breaks[SEPARATOR] = 1;
  const columnOf = (letter: number) => columns.get(keyOf(letter)) ?? (separates(letter) ? SEPARATOR : OTHER);

  const lookAt = remembering((code) => read(code));
  const read = (code: number): number => {
    if (code === BYTE_ORDER_MARK || isPartOfLetter(code)) return TELLS;
    const reading = readingOf(code);
    if (tellTales.has(code) || reading.marks.some((mark) => tellTales.has(mark))) return TELLS;
    if (reading.kind === 'mark' || reading.kind === 'ignorable') return HIDDEN;
    const column = reading.letters.length === 1 ? columnOf(reading.letters[0]!) : LOOK;
    const isBreak = !isLetter(code, reading) || bars.has(code);
    const isSign = bars.has(code) || (isLetter(code, reading) && !joinsWords(code));
    return column | (isBreak ? BREAK_BIT : 0) | (isSign ? SIGN_BIT : 0);
  };

  /** Whether a character stands between lone letters and the others of its column do not, or the other way round. */
  const isOdd = (look: number) => breaks[look & LAST_COLUMN] !== ((look & BREAK_BIT) === 0 ? 0 : 1);

  const units = new Uint8Array(0x10000).fill(LOOK);
  const joint = new JointAlphabet(units);
  const note = (unit: number, column: number): number => {
    units[unit] = column;
    joint.renew(unit);
    return column;
  };
  const learn = (unit: number): number => {
    if ((unit & 0xf800) === 0xd800) {
      const isHalf = isPictureHigh(unit) || isPictureLow(unit);
      return isHalf ? note(unit, columnOf(unit)) : LOOK;
    }
    const look = lookAt(unit);
    if (look === HIDDEN) return note(unit, UNSEEN);
    const column = look & LAST_COLUMN;
    if (look >= 0 && (look & SIGN_BIT) !== 0) {
      for (let index = 0; index < signs.length; index++) {
        if (lookAt(signs[index]!) === look) return note(unit, FIRST_SIGN + index);
      }
      return LOOK;
    }
    return look < 0 || column === LOOK || isOdd(look) ? LOOK : note(unit, column);
  };
  const columnsOf = remembering((code) => readColumns(code));
  const readColumns = (code: number): number => {
    const learned = code > 0xffff ? LOOK : learn(code);
    if (learned !== LOOK) return packed([learned]);
    const look = lookAt(code);
    const column = look & LAST_COLUMN;
    if (look < 0 || (look & SIGN_BIT) !== 0) return UNTOLD;
    if (column === LOOK) return packed(readingOf(code).letters.map(columnOf), joinsWords(code));
    return isOdd(look) ? UNTOLD : packed([column]);
  };
  const packed = (columns: readonly number[], joins = true): number => {
    if (columns.length > MAX_PACKED) return UNTOLD;
    const areAlike =
      columns.every((column) => breaks[column] === 1) || (joins && columns.every((column) => breaks[column] === 0));
    const most = (columns.length << COUNT_SHIFT) | (areAlike ? LETTERS : 0);
    return columns.reduce((all, column, index) => all | (column << (index * COLUMN_BITS)), most);
  };
  for (let unit = 0; unit < 0x80; unit++) learn(unit);
  const strokes = [width - STROKES.length, width - 1] as const;
  for (const [index, letter] of STROKES.entries()) {
    const column = columnOf(letter);
    symbols[strokes[index]!] = column;
    const isTold = (unit: number) => column !== OTHER && units[unit] === column;
    for (const unit of [letter, letter - 0x20].filter(isTold)) units[unit] = strokes[index]!;
  }
  const signColumns = Uint8Array.from(signs, (sign) => lookAt(sign) & LAST_COLUMN);
  return {
    units,
    width,
    breaks,
    signs: signColumns,
    white: columns.get(WHITE) ?? OTHER,
    symbols,
    strokes,
    columnOf,
    learn,
    joint,
    lookAt,
    columnsOf,
  };
}

/** A function of characters that remembers what it answered, of characters that share the last bits of the last only. */
function remembering(read: (code: number) => number): (code: number) => number {
  const codes = new Int32Array(REMEMBERED).fill(-1);
  const answers = new Int32Array(REMEMBERED);
  return (code) => {
    const place = code & (REMEMBERED - 1);
    if (codes[place] !== code) {
      answers[place] = read(code);
      codes[place] = code;
    }
    return answers[place]!;
  };
}

/** How many columns `columnsOf` told. */
export const countIn = (columns: number) => (columns >> COUNT_SHIFT) & (LETTERS_BIT - 1);
/** Whether the character is to the gate what its letters are one after the other, as `ß` is and Kana with a sound mark. */
export const areLetters = (columns: number) => (columns & LETTERS) !== 0;
/** One of them. */
export const columnIn = (columns: number, index: number) => (columns >> (index * COLUMN_BITS)) & LAST_COLUMN;

const keyOf = (letter: number) => (letter === WHITE ? WHITE : classOf(letter));

/** Whether a letter of a reading separates others: it is none. */
const separates = (letter: number) =>
  letter === WHITE || letter === UNDERSCORE || !(joinsWords(letter) || mayReadAsLetter(letter));

/** Whether a character may stand alone as a letter of a spaced term. */
function isLetter(code: number, { letters }: Reading): boolean {
  return letters.length === 1 && code !== UNDERSCORE && !separates(letters[0]!);
}

/** Columns by class. Between lone letters stand all characters of a column or none. */
function deal(letters: ReadonlyMap<number, number>) {
  const counts = new Map<number, number>();
  const joining = new Set<number>();
  for (const [letter, count] of letters) {
    const key = keyOf(letter);
    counts.set(key, (counts.get(key) ?? 0) + count);
    // A class of which some letters separate and some do not goes with the latter.
    if (!separates(letter)) joining.add(key);
  }
  const width = widthFor(counts);
  return { width, columns: dealApart(counts, (key) => joining.has(key), FIRST_LETTER, width - STROKES.length) };
}

function widthFor(counts: ReadonlyMap<number, number>): number {
  const uses = [...counts.values()].sort((a, b) => b - a);
  const sum = (from: number) => uses.slice(from).reduce((total, count) => total + count, 0);
  return sum(COLUMNS / 2 - FIRST_LETTER - STROKES.length) * FEW <= sum(0) ? COLUMNS / 2 : COLUMNS;
}
