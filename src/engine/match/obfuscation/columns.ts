/**
 * The input alphabet of the automaton: classes of characters, each of which is a column of its transition table.
 * Characters of one column may stand for the same symbols of the terms, are word edges or not, and have the same class
 * among isolated letters.
 *
 * An instance of: an approximate alphabet. The commonest columns are exact, and there is room for `COLUMNS` of them;
 * characters of rare ones share a column, which stands for all of their symbols. So rows stay short for lists in many
 * languages.
 *
 * Invariants: the column of a character stands for all symbols that its letter may stand for (`Lexicon.candidatesFor`),
 * and perhaps for more; its kind is that of the character. The column of a character never changes; `units` has it once
 * it is known.
 */
import { inRanges, type Portions } from '../../../foundation/portions.js';
import { WHITE } from '../folding.js';
import { isSignUnit } from '../formatting.js';
import { joiners, leetSigns, lettersWithPrototypes } from './confusables.js';
import { decompositionOf } from './decompositions.js';
import { ALPHABETIC, BEGINS, IN_WORD, IS_SIGN, Isolation, isolationOf } from './isolation-classes.js';
import type { Lexicon } from './lexicon.js';
import { hasSeveralForms } from './text-forms.js';
import { LEET } from './transforms.js';

/** Role of a column's characters in words. */
export const ColumnKind = {
  /** They join with what is beside them. */
  JOINING: 0,
  /** A word may begin or end there. */
  EDGE: 1,
  /** Not displayed, and passed over; to case folding they are edges. */
  HIDDEN: 2,
  /** Combining marks, passed over. */
  MARK: 3,
} as const;

export interface Column {
  /** A value of `ColumnKind`. */
  readonly kind: number;
  /** A class of `isolation-classes.ts`; of a shared column, with the bits of all of its characters. */
  isolation: number;
  /** White space alone, of which a run counts as one character. */
  readonly isSpace: boolean;
  /** Symbols the column's characters may stand for. */
  readonly symbols: Set<number>;
}

export const COLUMN_BITS = 6;
/** So many columns have cells in rows; the last of these says that a character has to be looked up. */
export const COLUMNS = 1 << COLUMN_BITS;
export const LOOK_UP = COLUMNS - 1;
/** The column of the end of a text, and of signs that no term has. */
export const END = 0;
/** In place of a column: the character has several forms, and so has its text (`text-forms.ts`). */
export const SEVERAL_FORMS = -1;

const severalForms: readonly number[] = [SEVERAL_FORMS];
const MAX_KNOWN = 20_000;
/** So many characters are described in a portion of work. */
const CHARACTERS_AT_ONCE = 64;
const SPACE = 0x20;

export class Columns {
  /** Column of each UTF-16 unit, `LOOK_UP` until it is known. */
  readonly units = new Uint8Array(0x10000).fill(LOOK_UP);
  readonly all: Column[] = [];
  readonly #lexicon: Lexicon;
  readonly #numbers = new Map<string, number>();
  /** Columns by code point. */
  readonly #known = new Map<number, readonly number[]>();

  private constructor(lexicon: Lexicon) {
    this.#lexicon = lexicon;
    // Each kind has a column without symbols; the first one is that of the end of a text.
    const { NONE, LETTER, SEPARATOR, BAR, SIGN, SAME, MASK: MASKING } = Isolation;
    const { JOINING, EDGE, HIDDEN, MARK } = ColumnKind;
    const signs = [NONE, SEPARATOR, BAR, SIGN, MASKING].map((kind) => kind | IS_SIGN);
    for (const isolation of [NONE, ...signs, SEPARATOR, SIGN | IN_WORD, SAME])
      this.#numberOf(columnOf(EDGE, isolation));
    for (const isolation of [LETTER | IN_WORD, SAME]) this.#numberOf(columnOf(JOINING, isolation));
    for (const kind of [MARK, HIDDEN]) this.#numberOf(columnOf(kind, NONE));
    for (const code of [SPACE, ...joiners]) for (const column of describe(lexicon, code)) this.#numberOf(column);
  }

  static *of(lexicon: Lexicon): Portions<Columns> {
    const columns = new Columns(lexicon);
    yield* columns.#assign();
    for (let unit = 0; unit < 0x80; unit++) columns.of(unit);
    return columns;
  }

  /** Returns the columns of the letters of a character, each of which is a step of the automaton; or `SEVERAL_FORMS`. */
  of(code: number): readonly number[] {
    return hasSeveralForms(code) ? severalForms : this.ofForm(code);
  }

  /** Returns the same columns in one form of a text: of the character as it is. */
  ofForm(code: number): readonly number[] {
    return this.#known.get(code) ?? this.#learn(code);
  }

  /** Describes a character. Apart, for a closure costs an allocation wherever it may be made. */
  #learn(code: number): readonly number[] {
    const found = describe(this.#lexicon, code).map((column) => this.#numberOf(column));
    const isUnit = code <= 0xffff && (code & 0xf800) !== 0xd800 && !hasSeveralForms(code);
    // Signs of formatting always leave the loop, to be counted.
    if (isUnit && found.length === 1 && found[0]! < LOOK_UP && !isSignUnit(code)) this.units[code] = found[0]!;
    // Texts that walk through all of Unicode do not fill the memory.
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    this.#known.set(code, found);
    return found;
  }

  /** Returns the number of a column. A new one is behind those with cells when all of these are taken. */
  #numberOf(column: Column): number {
    const key = keyOf(column);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (this.all.length === LOOK_UP) this.all.push(column);
    const number = this.all.push(column) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /**
   * Assigns columns to the letters of the terms, and to characters that may stand for these: the columns that most
   * states of the trie are entered by get numbers of their own; each of the others is joined with the least used one of
   * its kind.
   */
  *#assign(): Portions<void> {
    const { symbols, trie, runOf } = this.#lexicon;
    const counts = new Float64Array(runOf.length);
    yield* inRanges(trie.states, (begin, end) => {
      for (let state = Math.max(begin, 1); state < end; state++) counts[trie.label[state]!]!++;
    });
    const weights = new Map<string, { readonly column: Column; weight: number }>();
    const consider = (code: number, weight: number) => {
      for (const column of describe(this.#lexicon, code)) {
        if (column.symbols.size === 0 || column.isSpace) continue;
        const known = weights.get(keyOf(column)) ?? { column, weight: 0 };
        known.weight += weight;
        weights.set(keyOf(column), known);
      }
    };
    // Each character once: symbols that differ in marks alone share their base, and its column holds all of them.
    const weightOf = new Map<number, number>();
    for (let symbol = 1; symbol < symbols.length; symbol++) {
      const { base, decomposition } = symbols[symbol]!;
      if (base === WHITE) continue;
      for (const code of new Set([base, decomposition.code])) {
        weightOf.set(code, (weightOf.get(code) ?? 0) + counts[symbol]!);
      }
    }
    for (const [index, [code, weight]] of [...weightOf].entries()) {
      if (index % CHARACTERS_AT_ONCE === 0) yield;
      consider(code, weight);
    }
    for (const [index, code] of [...leetSigns(), ...lettersWithPrototypes()].entries()) {
      consider(code, 0);
      if (index % CHARACTERS_AT_ONCE === 0) yield;
    }
    const ranked = [...weights.values()].sort((one, other) => other.weight - one.weight);
    const loads = new Map<Column, number>();
    for (const [index, { column, weight }] of ranked.entries()) {
      if (index % CHARACTERS_AT_ONCE === 0) yield;
      if (this.all.length < LOOK_UP) {
        loads.set(this.all[this.#numberOf(column)]!, weight);
        continue;
      }
      const plain = withoutTerms(column.isolation);
      const alike = [...loads].filter(
        ([{ kind, isolation }]) => kind === column.kind && withoutTerms(isolation) === plain,
      );
      const other = this.all[this.#numberOf(columnOf(column.kind, plain))]!;
      const [lightest, load] = alike.reduce((least, one) => (one[1] < least[1] ? one : least), alike[0] ?? [other, 0]);
      for (const symbol of column.symbols) lightest.symbols.add(symbol);
      lightest.isolation |= column.isolation;
      loads.set(lightest, load + weight);
      this.#numbers.set(keyOf(column), this.all.indexOf(lightest));
    }
  }
}

/** Returns the exact columns of the letters of a character. */
export function describe(lexicon: Lexicon, code: number): readonly Column[] {
  const { kind, letters } = decompositionOf(code);
  if (kind === 'mark' || kind === 'ignorable')
    return [columnOf(kind === 'mark' ? ColumnKind.MARK : ColumnKind.HIDDEN, Isolation.NONE)];
  return letters.map((base, index) => {
    const candidates = lexicon.candidatesFor(base);
    const isolation = index === 0 ? isolationOf(code) : Isolation.SAME;
    const isAlphabetic = candidates.some(
      ({ symbol, transforms }) => (transforms & LEET) === 0 && lexicon.symbols[symbol]!.isAlphabetic,
    );
    const begins = candidates.some(({ symbol }) => lexicon.begins(symbol));
    return {
      kind: kind === 'letter' ? ColumnKind.JOINING : ColumnKind.EDGE,
      isolation: isolation | (isAlphabetic ? ALPHABETIC : 0) | (begins ? BEGINS : 0),
      isSpace: base === WHITE,
      symbols: new Set(candidates.map(({ symbol }) => symbol)),
    };
  });
}

/** Returns a class without the bits that depend on the terms. */
function withoutTerms(isolation: number): number {
  return isolation & ~(ALPHABETIC | BEGINS);
}

/** Returns a column without symbols. */
function columnOf(kind: number, isolation: number): Column {
  return { kind, isolation, isSpace: false, symbols: new Set() };
}

function keyOf({ kind, isolation, isSpace, symbols }: Column): string {
  return `${kind} ${isolation} ${isSpace} ${[...symbols].join()}`;
}
