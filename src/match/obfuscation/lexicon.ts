/**
 * Terms as sequences of letters, in one trie. A symbol is a letter as terms have it, with the marks that a text must have as well; one
 * run of equal letters may be several symbols, for `ß` is an `s` and another one. Where terms differ in which of their sides need word
 * edges, those that are alike in that have a root of their own, a child of state 0 by a symbol that is no letter. What the letters of a
 * text may stand for is worked out once for each of them.
 */
import { inRanges, inRangesOfItems, type Portions } from '../../portions.js';
import { foldCodePoint, isWhite, WHITE } from '../folding.js';
import { buildTrie, type KeywordTrie, type Sequences } from '../keyword-trie.js';
import { TermPool } from '../term-pool.js';
import { FREE_START, freeSidesOf, joinsWords, type WordReading } from '../word-edges.js';
import { composeLetters, hasParts } from './composed-text.js';
import { confusableBy, leetLettersOf, prototypesOf } from './confusables.js';
import { DOTTED_I, decompositionOf } from './decompositions.js';
import { type Letter, LetterReader, marksOf } from './letters.js';

/** A letter of terms. */
export interface TermLetter extends Letter {
  /** Marks that a text must have as well, in ascending order. */
  readonly required: readonly number[];
  /** Joins words; is a letter, and no digit or sign. */
  readonly joins: boolean;
  readonly isAlphabetic: boolean;
}

/** A symbol that a letter of a text may stand for, and the transforms that this takes. */
export interface Candidate {
  readonly symbol: number;
  readonly transforms: number;
}

/** A term has to be all of the letters that stand alone when it has so many, and is not spaced out when it has fewer. */
export const FEWEST_SPACED = 3;

/** What may hold of a term, as bits: it is read by case alone; */
export const CASE_ONLY = 1;
/** it holds marks or ignorable characters that its letters do not show; */
export const HIDDEN = 2;
/** the plain matcher has it as well; */
export const SCANNED_PLAIN = 4;
/** it is one word of `FEWEST_SPACED` letters or numbers or more; it has no more than `FEWEST_SPACED` letters. */
export const SPACEABLE = 8;
export const SHORT = 16;

const none: readonly Candidate[] = [];
const IOTA_BELOW = '\u0345';

/** A state at which terms begin. */
export interface Root {
  readonly state: number;
  /** Which sides of its terms need no word edge: `FREE_START`, `FREE_END`, both, or neither. */
  readonly free: number;
}

export class Lexicon {
  readonly trie: KeywordTrie;
  /** One root, which is state 0, or several below it. */
  readonly roots: readonly Root[];
  /** Some terms need a word edge where they begin; some need none. */
  readonly needsStarts: boolean;
  readonly hasFreeStarts: boolean;
  readonly symbols: readonly TermLetter[];
  /** By symbol: the number of the letter with its marks, which symbols of one run share. */
  readonly runOf: Int32Array;
  /** By state: 1 when other runs follow the run that the state is in, or longer ones. */
  readonly goesOn: Uint8Array;
  readonly pool: TermPool;
  /** So many runs of white space a term has at most. */
  readonly mostSpaces: number;
  /** Terms that the plain matcher has as well. */
  readonly scannedPlain: readonly number[];
  /** One of these has no letters that could be seen first. */
  readonly hasUnseen: boolean;
  readonly #flags: Uint8Array;
  /** By term, and by state where there are several roots: as `Root.free`. */
  readonly #free: Uint8Array;
  readonly #freeBelow: Uint8Array | undefined;
  /** By run: its first symbol and, behind the last run, the number of symbols. */
  readonly #firstOfRun: Int32Array;
  readonly #byBase = new Map<number, number[]>();
  /** By letter that others look like: the bases of those. */
  readonly #byPrototype = new Map<number, number[]>();
  readonly #candidates = new Map<number, readonly Candidate[]>();
  readonly #runs = new Map<number, readonly number[]>();

  private constructor(
    pool: TermPool,
    terms: TermsAsLetters,
    numbered: NumberedLetters,
    trie: KeywordTrie,
    { free, roots }: RootedSequences,
  ) {
    this.pool = pool;
    this.#free = free;
    this.roots = roots;
    this.needsStarts = roots.some((root) => (root.free & FREE_START) === 0);
    this.hasFreeStarts = roots.some((root) => (root.free & FREE_START) !== 0);
    this.#freeBelow = roots.length > 1 ? new Uint8Array(trie.states) : undefined;
    this.mostSpaces = terms.mostSpaces;
    this.scannedPlain = terms.scannedPlain;
    this.hasUnseen = terms.hasUnseen;
    this.#flags = terms.flags;
    this.symbols = numbered.symbols;
    this.runOf = numbered.runOf;
    this.#firstOfRun = numbered.firstOfRun;
    this.trie = trie;
    this.goesOn = new Uint8Array(trie.states);
    for (let symbol = 1; symbol < this.symbols.length; symbol++) this.#addBase(this.symbols[symbol]!.base, symbol);
  }

  /** `words` as in `KeywordOptions`. */
  static *of(written: readonly string[], words: WordReading | readonly WordReading[] = 'word'): Portions<Lexicon> {
    const pool = yield* TermPool.of(written, 'case');
    const terms = yield* readTerms(written, pool);
    const numbered = numberLetters(terms.letters);
    const rooted = yield* rootSequences(terms, numbered, freeSidesOf(words, written.length));
    const trie = yield* buildTrie(rooted.sequences, 1);
    const lexicon = new Lexicon(pool, terms, numbered, trie, rooted);
    yield* lexicon.#findWhatGoesOn();
    yield* lexicon.#findWhatIsFree();
    return lexicon;
  }

  #findWhatGoesOn(): Portions<void> {
    const { runOf, goesOn } = this;
    const { states, firstChild, label } = this.trie;
    // From the last state to the first but one, for children have larger numbers.
    return inRanges(states - 1, (begin, end) => {
      for (let state = states - 1 - begin; state > states - 1 - end; state--) {
        for (let child = firstChild[state]!; child < firstChild[state + 1]!; child++) {
          const isInRun = runOf[label[child]!] === runOf[label[state]!];
          if (!isInRun || goesOn[child] === 1) goesOn[state] = 1;
        }
      }
    });
  }

  *#findWhatIsFree(): Portions<void> {
    const free = this.#freeBelow;
    if (free === undefined) return;
    for (const root of this.roots) free[root.state] = root.free;
    const { states, firstChild } = this.trie;
    yield* inRanges(states - 1, (begin, end) => {
      for (let state = begin + 1; state <= end; state++)
        free.fill(free[state]!, firstChild[state]!, firstChild[state + 1]!);
    });
  }

  get bytes(): number {
    const { firstChild, label, ends, duplicate } = this.trie;
    return this.pool.bytes + firstChild.byteLength + label.byteLength + ends.byteLength + duplicate.byteLength;
  }

  /** Whether one of these holds of a term: `CASE_ONLY`, `HIDDEN`, `SCANNED_PLAIN`, `SPACEABLE`, `SHORT`. */
  is(term: number, flag: number): boolean {
    return (this.#flags[term]! & flag) !== 0;
  }

  /** Which sides of a term need no word edge, or of the terms at a state or below it; as `Root.free`. */
  freeOf(term: number): number {
    return this.#free[term]!;
  }

  freeBelow(state: number): number {
    return this.#freeBelow === undefined ? this.roots[0]!.free : this.#freeBelow[state]!;
  }

  /** Whether a term begins with a symbol. */
  begins(symbol: number): boolean {
    return this.roots.some((root) => this.child(root.state, symbol) >= 0);
  }

  /** The symbols that a letter of a text may stand for, itself first. */
  candidatesFor(base: number): readonly Candidate[] {
    const known = this.#candidates.get(base);
    if (known !== undefined) return known;
    const looks = [base, ...prototypesOf(base), ...leetLettersOf(base)].flatMap((one) => [one, ...prototypesOf(one)]);
    const bases = new Set(looks.flatMap((look) => [look, ...(this.#byPrototype.get(look) ?? [])]));
    const found = [...bases].flatMap((wanted) => {
      const transforms = confusableBy(base, wanted);
      return transforms < 0
        ? []
        : (this.#byBase.get(wanted) ?? []).map((symbol): Candidate => ({ symbol, transforms }));
    });
    const candidates = found.length === 0 ? none : found;
    // Texts that walk through all of Unicode do not fill the memory.
    if (this.#candidates.size > 20_000) this.#candidates.clear();
    this.#candidates.set(base, candidates);
    return candidates;
  }

  /** The child of a state by a symbol, or -1. */
  child(state: number, symbol: number): number {
    const at = this.#lowerBound(state, symbol);
    return at < this.trie.firstChild[state + 1]! && this.trie.label[at] === symbol ? at : -1;
  }

  /** The first child of a state that goes on with the run that the state is in; they stand side by side. */
  firstInRun(state: number): number {
    return this.#lowerBound(state, this.#firstOfRun[this.runOf[this.trie.label[state]!]!]!);
  }

  /** Behind the last child of a state that goes on with its run. */
  endInRun(state: number): number {
    return this.#lowerBound(state, this.#firstOfRun[this.runOf[this.trie.label[state]!]! + 1]!);
  }

  /** All states of the run that begins in a state, itself first. */
  statesOfRun(first: number): readonly number[] {
    const known = this.#runs.get(first);
    if (known !== undefined) return known;
    const states = [first];
    for (let at = 0; at < states.length; at++) {
      const end = this.endInRun(states[at]!);
      for (let child = this.firstInRun(states[at]!); child < end; child++) states.push(child);
    }
    this.#runs.set(first, states);
    return states;
  }

  /** The end of the occurrence of a term that begins at an offset and takes case folding alone; -1 when there is none. */
  plainEnd(term: number, text: string, start: number): number {
    const { symbols, from } = this.pool;
    let at = start;
    for (let index = from[term]!; index < from[term + 1]!; index++) {
      if (at >= text.length) return -1;
      const code = text.codePointAt(at)!;
      if (symbols[index] === WHITE) {
        if (!isWhite(code)) return -1;
        while (at < text.length && isWhite(text.charCodeAt(at))) at++;
      } else {
        if (isWhite(code) || foldCodePoint(code, 'case') !== symbols[index]) return -1;
        at += code > 0xffff ? 2 : 1;
      }
    }
    return at;
  }

  #lowerBound(state: number, symbol: number): number {
    const { firstChild, label } = this.trie;
    let low = firstChild[state]!;
    let high = firstChild[state + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (label[middle]! < symbol) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #addBase(base: number, symbol: number): void {
    const symbols = this.#byBase.get(base);
    if (symbols !== undefined) {
      symbols.push(symbol);
      return;
    }
    this.#byBase.set(base, [symbol]);
    for (const prototype of prototypesOf(base)) {
      const same = this.#byPrototype.get(prototype);
      if (same === undefined) this.#byPrototype.set(prototype, [base]);
      else same.push(base);
    }
  }
}

/** What was read of all terms: their letters by number, those of term `n` from `from[n]` on, and what holds of each. */
interface TermsAsLetters extends Pick<Lexicon, 'mostSpaces' | 'scannedPlain' | 'hasUnseen'> {
  readonly letters: readonly TermLetter[];
  readonly numbers: readonly number[];
  readonly from: Int32Array;
  readonly flags: Uint8Array;
}

/** So many letters of terms are a portion: each takes as long as a hundred steps. */
const FEW = 128;

function* readTerms(written: readonly string[], pool: TermPool): Portions<TermsAsLetters> {
  const letters = new TermLetters();
  const numbers: number[] = [];
  const from = new Int32Array(written.length + 1);
  const flags = new Uint8Array(written.length);
  const scannedPlain: number[] = [];
  let mostSpaces = 0;
  let hasUnseen = false;
  let left = FEW;
  for (const [index, term] of written.entries()) {
    left -= term.length + 1;
    if (left < 0) {
      left = FEW;
      yield;
    }
    const { numbers: own, flags: ofTerm } = yield* readTerm(term, letters);
    flags[index] = ofTerm;
    if ((ofTerm & SCANNED_PLAIN) !== 0 && pool.from[index] !== pool.from[index + 1]) {
      scannedPlain.push(index);
      // An iota below that stands alone is a letter to case folding, and a mark to readers.
      if (own.length === 0 || term.includes(IOTA_BELOW)) hasUnseen = true;
    }
    let spaces = 0;
    for (const number of own) {
      numbers.push(number);
      if (letters.all[number]!.base === WHITE) spaces++;
    }
    mostSpaces = Math.max(mostSpaces, spaces);
    from[index + 1] = numbers.length;
  }
  return { letters: letters.all, numbers, from, flags, scannedPlain, mostSpaces, hasUnseen };
}

/** Which sides are free, neither to both, makes so many roots. */
const MOST_ROOTS = 4;

/** Letters as symbols, from 1 on; the symbols of one run have one number after the other. Symbols behind these are of no run, 0. */
interface NumberedLetters {
  /** By letter: its symbol. */
  readonly symbolOf: Int32Array;
  readonly symbols: readonly TermLetter[];
  readonly runOf: Int32Array;
  readonly firstOfRun: Int32Array;
}

function numberLetters(letters: readonly TermLetter[]): NumberedLetters {
  const keys = letters.map(runKey);
  const sorted = letters.map((_, number) => number).sort((one, other) => (keys[one]! < keys[other]! ? -1 : 1));
  const symbolOf = new Int32Array(letters.length);
  const runOf = new Int32Array(letters.length + 1 + MOST_ROOTS);
  const firstOfRun = [0];
  sorted.forEach((number, index) => {
    const symbol = index + 1;
    symbolOf[number] = symbol;
    if (index === 0 || keys[sorted[index - 1]!] !== keys[number]) firstOfRun.push(symbol);
    runOf[symbol] = firstOfRun.length - 1;
  });
  const symbols = [0, ...sorted].map((number) => letters[number]!);
  return { symbolOf, symbols, runOf, firstOfRun: Int32Array.from([...firstOfRun, symbols.length]) };
}

/** The terms as sequences of symbols, and the roots of their trie. */
interface RootedSequences {
  readonly sequences: Sequences;
  readonly free: Uint8Array;
  readonly roots: readonly Root[];
}

/** Where terms differ in their free sides, each begins with a symbol for these. The first level of the trie is then that of the roots. */
function* rootSequences(
  { numbers, from }: TermsAsLetters,
  { symbolOf, symbols: letters }: NumberedLetters,
  free: Uint8Array,
): Portions<RootedSequences> {
  const count = free.length;
  const kinds = [...new Set(free.filter((_, term) => from[term]! < from[term + 1]!))].sort();
  const isRooted = kinds.length > 1;
  const symbols = new Int32Array(numbers.length + (isRooted ? count : 0));
  const rootedFrom = new Int32Array(count + 1);
  let filled = 0;
  yield* inRangesOfItems(from, (begin, end) => {
    for (let term = begin; term < end; term++) {
      if (isRooted && from[term]! < from[term + 1]!) symbols[filled++] = letters.length + kinds.indexOf(free[term]!);
      for (let at = from[term]!; at < from[term + 1]!; at++) symbols[filled++] = symbolOf[numbers[at]!]!;
      rootedFrom[term + 1] = filled;
    }
  });
  const roots = isRooted
    ? kinds.map((kind, index) => ({ state: index + 1, free: kind }))
    : [{ state: 0, free: kinds[0] ?? 0 }];
  return { sequences: { count, symbols: symbols.subarray(0, filled), from: rootedFrom }, free, roots };
}

function runKey({ base, required }: TermLetter): string {
  return `${base.toString().padStart(8)} ${required.join()}`;
}

const alphabetic = /^\p{L}$/u;
const alphanumeric = /[\p{L}\p{N}]/u;
const beyondAscii = /[^\0-\x7f]/;
const hiddenOrMark = /\p{Default_Ignorable_Code_Point}|^\p{M}/u;
/** Letters that differ, numbered as they come. */
class TermLetters {
  readonly all: TermLetter[] = [];
  /** By character and place in it, when no marks follow; else by these as well. */
  readonly #plain = new Map<number, number>();
  readonly #marked = new Map<string, number>();

  numberOf(letter: Letter): number {
    const { decomposition, index, marks } = letter;
    const key = decomposition.code * MOST_PARTS + index;
    const known = marks.length === 0 ? this.#plain.get(key) : this.#marked.get(`${key} ${marks.join()}`);
    if (known !== undefined) return known;
    const number = this.all.push(toTermLetter(letter)) - 1;
    if (marks.length === 0) this.#plain.set(key, number);
    else this.#marked.set(`${key} ${marks.join()}`, number);
    return number;
  }
}

/** More letters no character has. */
const MOST_PARTS = 32;

function toTermLetter(letter: Letter): TermLetter {
  const { base, decomposition, marks } = letter;
  // The dot of `İ` is none: in Turkish it is the `i`'s own.
  const required = decomposition.code === DOTTED_I ? marks : marksOf(letter);
  return {
    ...letter,
    required: [...required].sort((one, other) => one - other),
    joins: base !== WHITE && joinsWords(base),
    isAlphabetic: base !== WHITE && alphabetic.test(String.fromCodePoint(base)),
  };
}

/** The letters of a term by number, without white space around them, and its flags. */
function* readTerm(
  term: string,
  table: TermLetters,
): Portions<{ readonly numbers: readonly number[]; readonly flags: number }> {
  const reader = new LetterReader(composeLetters(term)?.text ?? term, { steps: 0 }, 0);
  if (term.length > FEW) for (let index = FEW; reader.at(index) !== undefined; index += FEW) yield;
  const all = reader.all();
  const first = all.findIndex(({ base }) => base !== WHITE);
  const last = all.findLastIndex(({ base }) => base !== WHITE);
  const numbers = all.slice(Math.max(first, 0), last + 1).map((letter) => table.numberOf(letter));
  const letters = numbers.map((number) => table.all[number]!);
  const isAscii = !beyondAscii.test(term);
  const hasOuterSpace =
    letters.length < all.length || isWhite(term.charCodeAt(0)) || isWhite(term.charCodeAt(term.length - 1));
  // Letters that symbols alone are read as make no word: a flag is that flag.
  const isOfSymbols = !isAscii && !alphanumeric.test(term) && letters.some((letter) => letter.isAlphabetic);
  const isCaseOnly = hasOuterSpace || letters.length === 0 || isOfSymbols || beginsWithMark(term);
  const isHidden = !isAscii && hiddenOrMark.test(term);
  const isSpaceable =
    letters.length >= FEWEST_SPACED &&
    letters.every(
      ({ base, joins, isAlphabetic }) => joins && (isAlphabetic || alphanumeric.test(String.fromCodePoint(base))),
    );
  return {
    numbers,
    flags:
      (isCaseOnly ? CASE_ONLY : 0) |
      (isHidden ? HIDDEN : 0) |
      (isCaseOnly || isHidden || hasParts(term) ? SCANNED_PLAIN : 0) |
      (isSpaceable ? SPACEABLE : 0) |
      (letters.length <= FEWEST_SPACED ? SHORT : 0),
  };
}

/** Whether a mark stands before the first letter, where no letter of a text could have it. */
export function beginsWithMark(term: string): boolean {
  if (!beyondAscii.test(term)) return false;
  for (const character of term) {
    const { kind } = decompositionOf(character.codePointAt(0)!);
    if (kind !== 'ignorable') return kind === 'mark';
  }
  return false;
}
