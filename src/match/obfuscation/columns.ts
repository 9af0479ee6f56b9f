/**
 * What characters mean to the automaton, dealt out to few columns: which symbols of the terms they may stand for, whether a word
 * may begin or end there, and what they are among isolated letters.
 */
import { isWhite, WHITE } from '../folding.js';
import { isPartOfLetter } from './composed-text.js';
import { leetSigns, lettersWithPrototypes } from './confusables.js';
import { decompositionOf } from './decompositions.js';
import { Isolation, isolationOf } from './isolated-letters.js';
import type { Lexicon } from './lexicon.js';

/** `JOINING`: joins with what is beside it. `EDGE`: a word may begin or end there. */
export const JOINING = 0;
export const EDGE = 1;
/** Passed over; to case folding a hidden character is an edge. */
export const HIDDEN = 2;
export const MARK = 3;

export interface Column {
  readonly kind: number;
  readonly isolation: number;
  readonly isSpace: boolean;
  /** What the characters of the column may stand for. */
  readonly symbols: Set<number>;
}

export const COLUMN_BITS = 6;
/** So many columns have cells in rows; the last of these says that a character has to be looked up. */
export const COLUMNS = 1 << COLUMN_BITS;
export const LOOK_UP = COLUMNS - 1;
/** The column of the end of a text, and of signs that no term has. */
export const END = 0;
/** Stands for a part of a letter and for a byte order mark: such a text is scanned in several ways. */
export const SEVERAL_WAYS = -1;

const severalWays: readonly number[] = [SEVERAL_WAYS];
const BYTE_ORDER_MARK = 0xfeff;
const MAX_KNOWN = 20_000;
const noSymbols: ReadonlySet<number> = new Set();

export class Columns {
  /** By UTF-16 unit: its column, `LOOK_UP` until it is known. */
  readonly units = new Uint8Array(0x10000).fill(LOOK_UP);
  readonly all: Column[] = [];
  readonly #lexicon: Lexicon;
  readonly #numbers = new Map<string, number>();
  /** By code point. */
  readonly #known = new Map<number, readonly number[]>();

  constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
    const { NONE, LETTER, SEPARATOR, BAR, SIGN } = Isolation;
    for (const isolation of [NONE, LETTER, SEPARATOR, BAR, SIGN]) {
      this.#numberOf(EDGE, isolation, noSymbols, false);
      this.#numberOf(JOINING, isolation, noSymbols, false);
    }
    for (const kind of [MARK, HIDDEN]) this.#numberOf(kind, NONE, noSymbols, false);
    this.#numberOf(EDGE, SEPARATOR, this.#symbolsOf(WHITE), true);
    this.#deal();
    for (let unit = 0; unit < 0x80; unit++) this.of(unit);
  }

  /** The columns of the letters of a character, each of which is a step of the automaton; or `SEVERAL_WAYS`. */
  of(code: number): readonly number[] {
    if (code === BYTE_ORDER_MARK || isPartOfLetter(code)) return severalWays;
    const found = this.asRead(code);
    const isUnit = code <= 0xffff && (code & 0xf800) !== 0xd800;
    if (isUnit && found.length === 1 && found[0]! < LOOK_UP) this.units[code] = found[0]!;
    return found;
  }

  /** The same of a text of which nothing is put together. */
  asRead(code: number): readonly number[] {
    const known = this.#known.get(code);
    if (known !== undefined) return known;
    const { kind, letters } = decompositionOf(code);
    const found =
      kind === 'mark' || kind === 'ignorable'
        ? [this.#numberOf(kind === 'mark' ? MARK : HIDDEN, Isolation.NONE, noSymbols, false)]
        : letters.map((base, index) => {
            const isolation = index === 0 ? isolationOf(code) : Isolation.SAME;
            return this.#numberOf(kind === 'letter' ? JOINING : EDGE, isolation, this.#symbolsOf(base), base === WHITE);
          });
    // Texts that walk through all of Unicode do not fill the memory.
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    this.#known.set(code, found);
    return found;
  }

  #symbolsOf(base: number): ReadonlySet<number> {
    const candidates = this.#lexicon.candidatesFor(base);
    return candidates.length === 0 ? noSymbols : new Set(candidates.map(({ symbol }) => symbol));
  }

  /** The column of such characters, made if there is none: one behind `COLUMNS` when all that have cells are taken. */
  #numberOf(kind: number, isolation: number, symbols: ReadonlySet<number>, isSpace: boolean): number {
    const key = `${kind} ${isolation} ${isSpace} ${[...symbols].join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const column = { kind, isolation, isSpace, symbols: new Set(symbols) };
    if (this.all.length === LOOK_UP) this.all.push(column);
    const number = this.all.push(column) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /**
   * Deals out columns to what the letters of the terms, and characters that look like these, may stand for: the commonest
   * first; what is rare shares the columns that are left.
   */
  #deal(): void {
    const { symbols, trie } = this.#lexicon;
    const counts = new Float64Array(symbols.length);
    for (let state = 1; state < trie.states; state++) counts[trie.label[state]!]!++;
    const weights = new Map<string, { readonly code: number; readonly base: number; weight: number }>();
    const consider = (code: number, base: number, weight: number) => {
      const wanted = this.#symbolsOf(base);
      if (wanted.size === 0) return;
      const key = `${decompositionOf(code).kind === 'letter'} ${isolationOf(code)} ${[...wanted].join()}`;
      const known = weights.get(key) ?? { code, base, weight: 0 };
      known.weight += weight;
      weights.set(key, known);
    };
    for (let symbol = 1; symbol < symbols.length; symbol++) {
      const { base, decomposition } = symbols[symbol]!;
      const code = base === WHITE ? 0x20 : base;
      consider(code, base, counts[symbol]!);
      if (decomposition.code !== base && !isWhite(code)) consider(decomposition.code, base, counts[symbol]!);
    }
    for (const code of [...leetSigns(), ...lettersWithPrototypes()]) consider(code, code, 0);
    const ranked = [...weights.values()].sort((one, other) => other.weight - one.weight);
    const loads = new Map<Column, number>();
    for (const { code, base, weight } of ranked) {
      const kind = decompositionOf(code).kind === 'letter' ? JOINING : EDGE;
      const wanted = this.#symbolsOf(base);
      const isolation = isolationOf(code);
      if (this.all.length < LOOK_UP) {
        loads.set(this.all[this.#numberOf(kind, isolation, wanted, base === WHITE)]!, weight);
        continue;
      }
      const other = this.all[this.#numberOf(kind, isolation, noSymbols, false)]!;
      const alike = [...loads].filter(([column]) => column.kind === kind && column.isolation === isolation && !column.isSpace);
      const [lightest, load] = alike.reduce((least, one) => (one[1] < least[1] ? one : least), alike[0] ?? [other, 0]);
      for (const symbol of wanted) lightest.symbols.add(symbol);
      loads.set(lightest, load + weight);
      this.#numbers.set(`${kind} ${isolation} ${base === WHITE} ${[...wanted].join()}`, this.all.indexOf(lightest));
    }
  }
}
