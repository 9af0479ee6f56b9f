/**
 * The input alphabet of the matcher of plain folding: UTF-16 units, assigned to 64 columns.
 *
 * An instance of: an approximate alphabet. Of the units that terms contain, folded, the commonest
 * have a column each; rare ones share the column that is least used so far. Units that no term
 * contains have one column, or two where words matter. So rows stay short for a list in thirty
 * languages, and the automaton over columns is a filter: what it finds is compared with the term,
 * unless all columns of the term are those of one symbol (`unshared`).
 *
 * Invariants: units that fold to the same unit have the same column; of characters beyond U+FFFF,
 * both halves of those that fold to each other. White space has a column for itself. Where words
 * matter, a column counts as joining (`joins`) only when all of its units join words; of units that
 * no term contains, those from `LOOKED_UP` on count as not joining.
 *
 * Cost: linear in the units of the terms, beside a copy of 64 KB. Memory: 64 KB beside the
 * sequences.
 *
 * Example: terms `he`, `she`, `hers` as substrings: `e` and `h` occur three times, `s` twice, `r`
 * once: columns 1 to 4, so `she` is 3, 2, 1. `H` is in column 2 as well, `x` in `OTHER`. No column
 * is shared, so no term needs a comparison.
 */
import { inRanges, inRangesOfItems, type Portions } from '../../foundation/portions.js';
import { caseFolds } from './case-folding.js';
import { DOT, DOTS, ELLIPSIS, type Folding, formsOf, WHITE } from './folding.js';
import { formattingUnits } from './formatting.js';
import type { Sequences } from './keyword-trie.js';
import type { PatternDfa } from './patterns/lazy-dfa.js';
import { highOf, lowOf } from './surrogates.js';
import type { TermPool } from './term-pool.js';
import { joinsWords } from './word-edges.js';

/**
 * Column of every UTF-16 unit that no term contains; where words matter, since terms must begin at
 * edges, of word characters alone.
 */
export const OTHER = 0;
/**
 * Column of units in no term that do not join, or are from `LOOKED_UP` on; used where words matter.
 */
const SEPARATOR = 1;
/**
 * There are 64 columns. With fewer, more of what is found is not a match; with more, rows take more
 * of the processor's caches.
 */
export const COLUMN_BITS = 6;
export const COLUMNS = 1 << COLUMN_BITS;
/**
 * Below this, for units that no term contains it is looked up whether they join words: Latin to
 * Tibetan.
 */
const LOOKED_UP = 0x1000;

/** The columns of units, and the terms as sequences of columns. */
export interface Alphabet {
  /** Column of each UTF-16 unit. */
  readonly units: Uint8Array;
  /** 1 for columns whose units all join words; used where words matter. */
  readonly joins: Uint8Array | undefined;
  /** Column of white space alone, runs of which count as one; `OTHER` when no term contains any. */
  readonly white: number;
  /** Columns of `…` alone and of the dot, where a term contains three dots that are equal to it. */
  readonly ellipsis: { readonly column: number; readonly dot: number } | undefined;
  /**
   * 1 for columns that have a unit of formatting (`formatting.ts`); none where the folding is
   * `exact`.
   */
  readonly formatting: Uint8Array;
  /** The terms as sequences of columns. */
  readonly sequences: Sequences;
  /**
   * Number of units of each term. It is negative when some are white space or dots, and then holds
   * in texts without runs of white space and without `…`.
   */
  readonly lengths: Int32Array;
  /** 1 for each term whose columns are all of one symbol each, so that no comparison is needed. */
  readonly unshared: Uint8Array;
}

/**
 * Assigns columns to the units of terms, the commonest first. `needsStarts`: some term must begin
 * at a word edge.
 */
export function* buildAlphabet(pool: TermPool, folding: Folding, needsStarts: boolean): Portions<Alphabet> {
  const same = folding === 'exact' ? new Map<number, number>() : yield* tieHalves(pool);
  const sequences = yield* toUnits(pool, same);
  const { symbols } = sequences;
  const counts = yield* countUnits(symbols);
  const hasEllipsis = folding !== 'exact' && holdsDots(symbols);
  const end = COLUMNS - (hasEllipsis ? 1 : 0);
  // Units of formatting that no term has get the last column, at the cost of letters: those share
  // more of theirs than signs do.
  const formatting = folding === 'exact' ? [] : formattingUnits.filter((unit) => !counts.has(unit));
  const last = end - (formatting.length > 0 ? 1 : 0);
  const columns = needsStarts
    ? dealApart(counts, isJoining, { first: SEPARATOR + 1, end, last })
    : dealColumns(counts, OTHER + 1, last);
  const white = columns.get(WHITE) ?? OTHER;
  for (const unit of formatting) columns.set(unit, last);
  yield;

  const ofFolded = new Uint8Array(0x10000);
  for (const [unit, column] of columns) if (unit !== WHITE) ofFolded[unit] = column;
  const units = needsStarts ? outsideTerms().slice() : new Uint8Array(0x10000);
  const joins = needsStarts ? new Uint8Array(COLUMNS).fill(1) : undefined;
  if (joins !== undefined) joins[SEPARATOR] = 0;
  const put = (unit: number, column: number): void => {
    units[unit] = column;
    if (joins !== undefined && !joinsWords(unit)) joins[column] = 0;
  };
  for (const [unit, column] of columns) for (const form of formsOf(unit, folding)) put(form, column);
  for (const half of same.keys()) {
    const column = ofFolded[representative(same, half)]!;
    if (column !== OTHER) put(half, column);
  }
  const ellipsis = hasEllipsis ? { column: end, dot: columns.get(DOT)! } : undefined;
  if (ellipsis !== undefined) put(ELLIPSIS, ellipsis.column);
  yield;
  yield* inRanges(symbols.length, (begin, end) => {
    for (let index = begin; index < end; index++) {
      const unit = symbols[index]!;
      symbols[index] = unit === WHITE ? white : ofFolded[unit]!;
    }
  });
  const measured = yield* measure(sequences, columns, ellipsis?.dot);
  return {
    units,
    joins,
    white,
    ellipsis,
    formatting: formattingColumns(units, folding),
    sequences,
    ...measured,
  };
}

function formattingColumns(units: Uint8Array, folding: Folding): Uint8Array {
  const columns = new Uint8Array(COLUMNS);
  if (folding !== 'exact') for (const unit of formattingUnits) columns[units[unit]!] = 1;
  return columns;
}

/** A pair is known by comparing code points: halves count as shared. */
function* measure(
  { count, symbols, from }: Sequences,
  columns: ReadonlyMap<number, number>,
  dot: number | undefined,
): Portions<Pick<Alphabet, 'lengths' | 'unshared'>> {
  const white = columns.get(WHITE) ?? -1;
  const owners = new Int32Array(COLUMNS);
  for (const [symbol, column] of columns) {
    owners[column]! += symbol !== WHITE && (symbol & 0xf800) === 0xd800 ? 2 : 1;
  }
  const lengths = new Int32Array(count);
  const unshared = new Uint8Array(count);
  yield* inRangesOfItems(from, (begin, end) => {
    for (let term = begin; term < end; term++) {
      const length = from[term + 1]! - from[term]!;
      const termSymbols = symbols.subarray(from[term]!, from[term + 1]!);
      lengths[term] =
        termSymbols.includes(white) || (dot !== undefined && termSymbols.includes(dot)) ? -length : length;
      if (termSymbols.every((column) => owners[column] === 1)) unshared[term] = 1;
    }
  });
  return { lengths, unshared };
}

/**
 * Whether three dots stand together. That two terms may share them does not matter: a column is
 * made in vain.
 */
function holdsDots(symbols: Int32Array): boolean {
  let dots = 0;
  for (let index = 0; index < symbols.length && dots < DOTS; index++) dots = symbols[index] === DOT ? dots + 1 : 0;
  return dots === DOTS;
}

/** Counts each unit, and white space. */
function* countUnits(symbols: Int32Array): Portions<Map<number, number>> {
  let highest = 0;
  yield* inRanges(symbols.length, (begin, end) => {
    for (let index = begin; index < end; index++) if (symbols[index]! > highest) highest = symbols[index]!;
  });
  const ofUnit = new Int32Array(highest + 1);
  const distinct: number[] = [];
  let white = 0;
  yield* inRanges(symbols.length, (begin, end) => {
    for (let index = begin; index < end; index++) {
      const unit = symbols[index]!;
      if (unit === WHITE) white++;
      else if (ofUnit[unit]!++ === 0) distinct.push(unit);
    }
  });
  const counts = new Map(distinct.map((unit) => [unit, ofUnit[unit]!]));
  if (white > 0) counts.set(WHITE, white);
  return counts;
}

/** A unit that joins words. */
function isJoining(unit: number): boolean {
  return unit !== WHITE && joinsWords(unit);
}

let outside: Uint8Array | undefined;

/**
 * Column of each unit where words matter and no term contains it. One table for the process, not to
 * be changed.
 */
function outsideTerms(): Uint8Array {
  outside ??= Uint8Array.from({ length: 0x10000 }, (_, unit) =>
    unit < LOOKED_UP && joinsWords(unit) ? OTHER : SEPARATOR,
  );
  return outside;
}

/**
 * Assigns columns from `first` on so that symbols of one kind share none with those of the other:
 * first those that do not join, then those that do, each as many as they are used. Those that join
 * get columns up to `last` alone.
 */
function dealApart(
  counts: ReadonlyMap<number, number>,
  joins: (symbol: number) => boolean,
  { first, end, last }: { readonly first: number; readonly end: number; readonly last: number },
): Map<number, number> {
  const all = [...counts];
  const separating = new Map(all.filter(([symbol]) => !joins(symbol)));
  const joining = new Map(all.filter(([symbol]) => joins(symbol)));
  const sum = (some: ReadonlyMap<number, number>) => [...some.values()].reduce((total, count) => total + count, 0);
  const room = end - first;
  const share = sum(separating) / Math.max(1, sum(counts));
  // White space has a column for itself.
  const least = Math.min(separating.size, separating.has(WHITE) ? 2 : 1);
  const most = last - first - (joining.size > 0 ? 1 : 0);
  const middle = first + Math.min(separating.size, most, Math.max(least, Math.round(share * room)));
  return new Map([...dealColumns(separating, first, middle), ...dealColumns(joining, middle, last)]);
}

/**
 * A column from `begin` up to `end` for each symbol: the one with the least so far; the first is
 * for white space alone.
 */
function dealColumns(counts: ReadonlyMap<number, number>, begin: number, end: number): Map<number, number> {
  const columns = new Map<number, number>();
  if (counts.has(WHITE)) columns.set(WHITE, begin);
  const first = begin + columns.size;
  const loads = new Float64Array(end - first);
  const ranked = [...counts].filter(([unit]) => unit !== WHITE).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  for (const [unit, count] of ranked) {
    let lightest = 0;
    for (let column = 1; column < loads.length; column++) if (loads[column]! < loads[lightest]!) lightest = column;
    loads[lightest]! += count;
    columns.set(unit, first + lightest);
  }
  return columns;
}

/** Terms as folded UTF-16 units. */
function* toUnits(pool: TermPool, same: ReadonlyMap<number, number>): Portions<Sequences> {
  let length = pool.symbols.length;
  yield* inRanges(length, (begin, end) => {
    let pairs = 0;
    for (let index = begin; index < end; index++) if (pool.symbols[index]! > 0xffff) pairs++;
    length += pairs;
  });
  const symbols = new Int32Array(length);
  const from = new Int32Array(pool.count + 1);
  const unitOf = same.size === 0 ? (unit: number) => unit : (unit: number) => representative(same, unit);
  let filled = 0;
  yield* inRangesOfItems(pool.from, (begin, end) => {
    let at = filled;
    for (let term = begin; term < end; term++) {
      for (let index = pool.from[term]!; index < pool.from[term + 1]!; index++) {
        const symbol = pool.symbols[index]!;
        if (symbol > 0xffff) {
          symbols[at++] = unitOf(highOf(symbol));
          symbols[at++] = unitOf(lowOf(symbol));
        } else symbols[at++] = unitOf(symbol);
      }
      from[term + 1] = at;
    }
    filled = at;
  });
  return { count: pool.count, symbols, from };
}

/**
 * Halves of astral letters that differ in case only, each with one that stands for it: they must
 * share a column.
 */
function* tieHalves({ symbols }: TermPool): Portions<Map<number, number>> {
  const astral = new Set<number>();
  yield* inRanges(symbols.length, (begin, end) => {
    for (let index = begin; index < end; index++) if (symbols[index]! > 0xffff) astral.add(symbols[index]!);
  });
  const same = new Map<number, number>();
  if (astral.size === 0) return same;
  const tie = (left: number, right: number) => {
    const [from, to] = [representative(same, left), representative(same, right)];
    if (from !== to) same.set(from, to);
  };
  for (const [code, to] of caseFolds) {
    if (!astral.has(to)) continue;
    tie(highOf(code), highOf(to));
    tie(lowOf(code), lowOf(to));
  }
  return same;
}

function representative(same: ReadonlyMap<number, number>, unit: number): number {
  for (let at = unit; ; ) {
    const next = same.get(at);
    if (next === undefined) return at;
    at = next;
  }
}

/**
 * The columns of units and their classes in the patterns' automaton that was requested last: one
 * read for both alphabets.
 */
export class JointAlphabet {
  readonly #units: Uint8Array;
  #dfa: PatternDfa | undefined;
  #joint: Uint16Array | Uint32Array = new Uint16Array(0);

  constructor(units: Uint8Array) {
    this.#units = units;
  }

  /** Column of each unit with its class above it. */
  with(dfa: PatternDfa): Uint16Array | Uint32Array {
    if (this.#dfa === dfa) return this.#joint;
    const joint = dfa.classCount <= 0x10000 >> COLUMN_BITS ? new Uint16Array(0x10000) : new Uint32Array(0x10000);
    for (let unit = 0; unit < joint.length; unit++)
      joint[unit] = this.#units[unit]! | (dfa.classes[unit]! << COLUMN_BITS);
    this.#dfa = dfa;
    this.#joint = joint;
    return joint;
  }

  /** Takes over the column of a unit that has changed. */
  renew(unit: number): void {
    if (this.#dfa !== undefined) this.#joint[unit] = this.#units[unit]! | (this.#dfa.classes[unit]! << COLUMN_BITS);
  }
}
